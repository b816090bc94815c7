// Package sarif has the objects of the Static Analysis Results Interchange Format,
// version 2.1.0 (OASIS, 2020), that reports are made of. Lists that no report sets
// are written empty, so that readers need not know these. Numbers that are not set are left
// out: validators warn of -1, which stands for that.
package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Levels of results and notifications.
const (
	LevelError = "error"
	LevelNote  = "note"
)

// Log is a log with the results of runs.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []*Run `json:"runs"`
	// Properties are those of the log.
	Properties struct{} `json:"properties"`
}

// NewLog makes a log without runs.
func NewLog() *Log {
	return &Log{Schema: "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []*Run{}}
}

// JSON is the log as text.
func (l *Log) JSON() ([]byte, error) { return json.MarshalIndent(l, "", "  ") }

// none is a list that stays empty.
type none struct{}

func (none) MarshalJSON() ([]byte, error) { return []byte("[]"), nil }

func (*none) UnmarshalJSON(data []byte) error {
	if !bytes.Equal(data, []byte("[]")) {
		return fmt.Errorf("a list must be empty, but is %s", data)
	}
	return nil
}

// Run is a run of a tool.
type Run struct {
	Addresses         none          `json:"addresses"`
	AutomationDetails *Automation   `json:"automationDetails,omitempty"`
	ColumnKind        string        `json:"columnKind,omitempty"`
	Graphs            none          `json:"graphs"`
	Invocations       []*Invocation `json:"invocations"`
	Language          string        `json:"language"`
	LogicalLocations  none          `json:"logicalLocations"`
	NewlineSequences  []string      `json:"newlineSequences"`
	Policies          none          `json:"policies"`
	RedactionTokens   none          `json:"redactionTokens"`
	Results           []*Result     `json:"results"`
	RunAggregates     none          `json:"runAggregates"`
	Taxonomies        none          `json:"taxonomies"`
	ThreadFlows       none          `json:"threadFlowLocations"`
	Tool              *Tool         `json:"tool,omitempty"`
	Translations      none          `json:"translations"`
	VersionControl    none          `json:"versionControlProvenance"`
	WebRequests       none          `json:"webRequests"`
	WebResponses      none          `json:"webResponses"`
}

// language is that of all texts.
const language = "en-US"

// NewRun makes a run of a tool without results, with columns in characters. informationURI
// is where the tool comes from, id names the analysis.
func NewRun(tool, version, informationURI, id string) *Run {
	return &Run{AutomationDetails: &Automation{ID: id}, ColumnKind: "unicodeCodePoints", Language: language, NewlineSequences: []string{"\r\n", "\n"},
		Invocations: []*Invocation{}, Results: []*Result{},
		Tool: &Tool{Driver: &Driver{Contents: []string{"localizedData", "nonLocalizedData"}, InformationURI: informationURI, Language: language, Name: tool,
			Notifications: []*Descriptor{}, Rules: []*Descriptor{}, Version: numeric(version)}}}
}

// numeric gives a version that begins with a number, as readers that compare versions want it.
func numeric(version string) string {
	version = strings.TrimPrefix(version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' {
		return strings.TrimSpace("0.0.0 " + version)
	}
	return version
}

// RuleIndex is the place of a rule among those of the tool, -1 if it has none.
func (r *Run) RuleIndex(id string) int {
	return slices.IndexFunc(r.Tool.Driver.Rules, func(d *Descriptor) bool { return d.ID == id })
}

// Automation names an analysis that is repeated.
type Automation struct {
	ID string `json:"id,omitempty"`
}

// Tool is what a run is of.
type Tool struct {
	Driver     *Driver `json:"driver,omitempty"`
	Extensions none    `json:"extensions"`
}

// Driver is the program of a tool.
type Driver struct {
	Contents       []string      `json:"contents"`
	InformationURI string        `json:"informationUri,omitempty"`
	Comprehensive  bool          `json:"isComprehensive"`
	Language       string        `json:"language"`
	Locations      none          `json:"locations"`
	Name           string        `json:"name,omitempty"`
	Notifications  []*Descriptor `json:"notifications"`
	Rules          []*Descriptor `json:"rules"`
	Taxonomies     none          `json:"supportedTaxonomies"`
	Taxa           none          `json:"taxa"`
	Version        string        `json:"version,omitempty"`
}

// Descriptor says what a kind of results or notifications is.
type Descriptor struct {
	Configuration    *Configuration `json:"defaultConfiguration,omitempty"`
	FullDescription  *Text          `json:"fullDescription,omitempty"`
	Help             *Text          `json:"help,omitempty"`
	ID               string         `json:"id,omitempty"`
	Name             string         `json:"name,omitempty"`
	Relationships    none           `json:"relationships"`
	ShortDescription *Text          `json:"shortDescription,omitempty"`
}

// Text is a text of a Descriptor.
type Text struct {
	Text string `json:"text,omitempty"`
}

// Configuration is how results of a kind are shown.
type Configuration struct {
	Enabled bool   `json:"enabled"`
	Level   string `json:"level,omitempty"`
}

// NewConfiguration shows results at a level.
func NewConfiguration(level string) *Configuration {
	return &Configuration{Enabled: true, Level: level}
}

// Invocation is a call of the tool.
type Invocation struct {
	Successful                 bool            `json:"executionSuccessful"`
	NotificationOverrides      none            `json:"notificationConfigurationOverrides"`
	RuleOverrides              none            `json:"ruleConfigurationOverrides"`
	ConfigurationNotifications none            `json:"toolConfigurationNotifications"`
	Notifications              []*Notification `json:"toolExecutionNotifications"`
}

// Notification is what the tool says of its run.
type Notification struct {
	Descriptor *Reference  `json:"descriptor,omitempty"`
	Level      string      `json:"level"`
	Locations  []*Location `json:"locations"`
	Message    *Message    `json:"message,omitempty"`
}

// Reference refers to a Descriptor.
type Reference struct {
	ID string `json:"id,omitempty"`
}

// Result is a result.
type Result struct {
	PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Attachments         none              `json:"attachments"`
	CodeFlows           []*CodeFlow       `json:"codeFlows"`
	Fixes               none              `json:"fixes"`
	GraphTraversals     none              `json:"graphTraversals"`
	Graphs              none              `json:"graphs"`
	Kind                string            `json:"kind,omitempty"`
	Level               string            `json:"level,omitempty"`
	Locations           []*Location       `json:"locations"`
	Message             *Message          `json:"message,omitempty"`
	Properties          map[string]any    `json:"properties,omitempty"`
	RelatedLocations    []*Location       `json:"relatedLocations"`
	RuleID              string            `json:"ruleId,omitempty"`
	RuleIndex           int               `json:"ruleIndex"`
	Stacks              none              `json:"stacks"`
	Taxa                none              `json:"taxa"`
}

// NewResult makes a result of a rule of the run, without locations.
func (r *Run) NewResult(rule, level string, message *Message) *Result {
	return &Result{Kind: "fail", Level: level, Message: message, RuleID: rule, RuleIndex: r.RuleIndex(rule),
		CodeFlows: []*CodeFlow{}, Locations: []*Location{}, RelatedLocations: []*Location{}}
}

// Message is a text.
type Message struct {
	Arguments none   `json:"arguments"`
	Text      string `json:"text,omitempty"`
}

// Location is a place with a message.
type Location struct {
	Annotations      none              `json:"annotations"`
	ID               int               `json:"id,omitempty"` // 0 if it has none
	LogicalLocations none              `json:"logicalLocations"`
	Message          *Message          `json:"message,omitempty"`
	Physical         *PhysicalLocation `json:"physicalLocation,omitempty"`
	Relationships    none              `json:"relationships"`
}

// PhysicalLocation is a place in a file.
type PhysicalLocation struct {
	file     string            // as the program names it
	Artifact *ArtifactLocation `json:"artifactLocation,omitempty"`
	Region   *Region           `json:"region,omitempty"`
}

// ArtifactLocation names a file.
type ArtifactLocation struct {
	URI       string `json:"uri,omitempty"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

// Region is the start of a part of a file. Numbers of columns and lines begin at 1.
type Region struct {
	StartColumn int `json:"startColumn,omitempty"`
	StartLine   int `json:"startLine,omitempty"`
}

// CodeFlow is an execution.
type CodeFlow struct {
	Message     *Message      `json:"message,omitempty"`
	ThreadFlows []*ThreadFlow `json:"threadFlows,omitempty"`
}

// ThreadFlow is the part of an execution that a thread does.
type ThreadFlow struct {
	ID        string   `json:"id,omitempty"`
	Locations []*Step  `json:"locations,omitempty"`
	Message   *Message `json:"message,omitempty"`
}

// Step is a step of an execution.
type Step struct {
	Order      int       `json:"executionOrder"`
	Importance string    `json:"importance"`
	Kinds      none      `json:"kinds"`
	Location   *Location `json:"location,omitempty"`
	Taxa       none      `json:"taxa"`
}

// NewStep makes a step. Orders begin at 1 and count the steps of all threads.
func NewStep(order int, at *Location) *Step {
	return &Step{Order: order, Importance: "important", Location: at}
}
