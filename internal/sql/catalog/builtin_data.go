// Code generated from a PostgreSQL server by: go test ./internal/sql/catalog -run TestBuiltinsAgainstServer -update. DO NOT EDIT.

package catalog

// builtinData holds, by extension ("" is the server itself) and kind, a line for each
// type, function, operator and cast. See the queries in dump_test.go for the fields.
var builtinData = map[string]map[string]string{
	"": {
		"types": `
_aclitem	b	A		aclitem
_bit	b	A		bit
_bool	b	A		bool
_box	b	A		box
_bpchar	b	A		bpchar
_bytea	b	A		bytea
_char	b	A		char
_cid	b	A		cid
_cidr	b	A		cidr
_circle	b	A		circle
_cstring	b	A		cstring
_date	b	A		date
_datemultirange	b	A		datemultirange
_daterange	b	A		daterange
_float4	b	A		float4
_float8	b	A		float8
_gtsvector	b	A		gtsvector
_inet	b	A		inet
_int2	b	A		int2
_int2vector	b	A		int2vector
_int4	b	A		int4
_int4multirange	b	A		int4multirange
_int4range	b	A		int4range
_int8	b	A		int8
_int8multirange	b	A		int8multirange
_int8range	b	A		int8range
_interval	b	A		interval
_json	b	A		json
_jsonb	b	A		jsonb
_jsonpath	b	A		jsonpath
_line	b	A		line
_lseg	b	A		lseg
_macaddr	b	A		macaddr
_macaddr8	b	A		macaddr8
_money	b	A		money
_name	b	A		name
_numeric	b	A		numeric
_nummultirange	b	A		nummultirange
_numrange	b	A		numrange
_oid	b	A		oid
_oidvector	b	A		oidvector
_path	b	A		path
_point	b	A		point
_polygon	b	A		polygon
_record	p	P		
_refcursor	b	A		refcursor
_regclass	b	A		regclass
_regcollation	b	A		regcollation
_regconfig	b	A		regconfig
_regdictionary	b	A		regdictionary
_regnamespace	b	A		regnamespace
_regoper	b	A		regoper
_regoperator	b	A		regoperator
_regproc	b	A		regproc
_regprocedure	b	A		regprocedure
_regrole	b	A		regrole
_regtype	b	A		regtype
_text	b	A		text
_tid	b	A		tid
_time	b	A		time
_timestamp	b	A		timestamp
_timestamptz	b	A		timestamptz
_timetz	b	A		timetz
_tsmultirange	b	A		tsmultirange
_tsquery	b	A		tsquery
_tsrange	b	A		tsrange
_tstzmultirange	b	A		tstzmultirange
_tstzrange	b	A		tstzrange
_tsvector	b	A		tsvector
_txid_snapshot	b	A		txid_snapshot
_uuid	b	A		uuid
_varbit	b	A		varbit
_varchar	b	A		varchar
_xid	b	A		xid
_xid8	b	A		xid8
_xml	b	A		xml
aclitem	b	U		
any	p	P		
anyarray	p	P		
anycompatible	p	P		
anycompatiblearray	p	P		
anycompatiblemultirange	p	P		
anycompatiblenonarray	p	P		
anycompatiblerange	p	P		
anyelement	p	P		
anyenum	p	P		
anymultirange	p	P		
anynonarray	p	P		
anyrange	p	P		
bit	b	V		
bool	b	B	p	
box	b	G		
bpchar	b	S		
bytea	b	U		
char	b	Z		
cid	b	U		
cidr	b	I		
circle	b	G		
cstring	p	P		
date	b	D		
datemultirange	m	R		date
daterange	r	R		date
event_trigger	p	P		
fdw_handler	p	P		
float4	b	N		
float8	b	N	p	
gtsvector	b	U		
index_am_handler	p	P		
inet	b	I	p	
int2	b	N		
int2vector	b	A		int2
int4	b	N		
int4multirange	m	R		int4
int4range	r	R		int4
int8	b	N		
int8multirange	m	R		int8
int8range	r	R		int8
internal	p	P		
interval	b	T	p	
json	b	U		
jsonb	b	U		
jsonpath	b	U		
language_handler	p	P		
line	b	G		
lseg	b	G		
macaddr	b	U		
macaddr8	b	U		
money	b	N		
name	b	S		
numeric	b	N		
nummultirange	m	R		numeric
numrange	r	R		numeric
oid	b	N	p	
oidvector	b	A		oid
path	b	G		
point	b	G		
polygon	b	G		
record	p	P		
refcursor	b	U		
regclass	b	N		
regcollation	b	N		
regconfig	b	N		
regdictionary	b	N		
regnamespace	b	N		
regoper	b	N		
regoperator	b	N		
regproc	b	N		
regprocedure	b	N		
regrole	b	N		
regtype	b	N		
table_am_handler	p	P		
text	b	S	p	
tid	b	U		
time	b	D		
timestamp	b	D		
timestamptz	b	D	p	
timetz	b	D		
trigger	p	P		
tsm_handler	p	P		
tsmultirange	m	R		timestamp
tsquery	b	U		
tsrange	r	R		timestamp
tstzmultirange	m	R		timestamptz
tstzrange	r	R		timestamptz
tsvector	b	U		
txid_snapshot	b	U		
unknown	p	X		
uuid	b	U		
varbit	b	V	p	
varchar	b	S		
void	p	P		
xid	b	U		
xid8	b	U		
xml	b	U		
`,
		"functions": `
abbrev	cidr	text	fiS
abbrev	inet	text	fiS
abs	float4	float4	fiS
abs	float8	float8	fiS
abs	int2	int2	fiS
abs	int4	int4	fiS
abs	int8	int8	fiS
abs	numeric	numeric	fiS
aclcontains	_aclitem,aclitem	bool	fiS
acldefault	char,oid	_aclitem	fiS
aclexplode	_aclitem	record	fsSR	grantor:oid,grantee:oid,privilege_type:text,is_grantable:bool
aclinsert	_aclitem,aclitem	_aclitem	fiS
aclitemeq	aclitem,aclitem	bool	fiS
aclremove	_aclitem,aclitem	_aclitem	fiS
acos	float8	float8	fiS
acosd	float8	float8	fiS
acosh	float8	float8	fiS
age	timestamp	interval	fsS
age	timestamp,timestamp	interval	fiS
age	timestamptz	interval	fsS
age	timestamptz,timestamptz	interval	fiS
age	xid	int4	fsS
amvalidate	oid	bool	fvS
anyarray_send	anyarray	bytea	fsS
anycompatiblearray_send	anycompatiblearray	bytea	fsS
anytextcat	anynonarray,text	text	fsS
area	box	float8	fiS
area	circle	float8	fiS
area	path	float8	fiS
array_agg	anyarray	anyarray	ai
array_agg	anynonarray	anyarray	ai
array_append	anycompatiblearray,anycompatible	anycompatiblearray	fi
array_cat	anycompatiblearray,anycompatiblearray	anycompatiblearray	fi
array_dims	anyarray	text	fiS
array_eq	anyarray,anyarray	bool	fiS
array_fill	anyelement,_int4	anyarray	fi
array_fill	anyelement,_int4,_int4	anyarray	fi
array_ge	anyarray,anyarray	bool	fiS
array_gt	anyarray,anyarray	bool	fiS
array_larger	anyarray,anyarray	anyarray	fiS
array_le	anyarray,anyarray	bool	fiS
array_length	anyarray,int4	int4	fiS
array_lower	anyarray,int4	int4	fiS
array_lt	anyarray,anyarray	bool	fiS
array_ndims	anyarray	int4	fiS
array_ne	anyarray,anyarray	bool	fiS
array_position	anycompatiblearray,anycompatible	int4	fi
array_position	anycompatiblearray,anycompatible,int4	int4	fi
array_positions	anycompatiblearray,anycompatible	_int4	fi
array_prepend	anycompatible,anycompatiblearray	anycompatiblearray	fi
array_remove	anycompatiblearray,anycompatible	anycompatiblearray	fi
array_replace	anycompatiblearray,anycompatible,anycompatible	anycompatiblearray	fi
array_send	anyarray	bytea	fsS
array_smaller	anyarray,anyarray	anyarray	fiS
array_to_json	anyarray	json	fsS
array_to_json	anyarray,bool	json	fsS
array_to_string	anyarray,text	text	fsS
array_to_string	anyarray,text,text	text	fs
array_to_tsvector	_text	tsvector	fiS
array_upper	anyarray,int4	int4	fiS
arraycontained	anyarray,anyarray	bool	fiS
arraycontains	anyarray,anyarray	bool	fiS
arrayoverlap	anyarray,anyarray	bool	fiS
ascii	text	int4	fiS
asin	float8	float8	fiS
asind	float8	float8	fiS
asinh	float8	float8	fiS
atan	float8	float8	fiS
atan2	float8,float8	float8	fiS
atan2d	float8,float8	float8	fiS
atand	float8	float8	fiS
atanh	float8	float8	fiS
avg	float4	float8	ai
avg	float8	float8	ai
avg	int2	numeric	ai
avg	int4	numeric	ai
avg	int8	numeric	ai
avg	interval	interval	ai
avg	numeric	numeric	ai
binary_upgrade_create_empty_extension	text,text,bool,text,_oid,_text,_text	void	fv
binary_upgrade_set_missing_value	oid,text,text	void	fvS
binary_upgrade_set_next_array_pg_type_oid	oid	void	fvS
binary_upgrade_set_next_heap_pg_class_oid	oid	void	fvS
binary_upgrade_set_next_heap_relfilenode	oid	void	fvS
binary_upgrade_set_next_index_pg_class_oid	oid	void	fvS
binary_upgrade_set_next_index_relfilenode	oid	void	fvS
binary_upgrade_set_next_multirange_array_pg_type_oid	oid	void	fvS
binary_upgrade_set_next_multirange_pg_type_oid	oid	void	fvS
binary_upgrade_set_next_pg_authid_oid	oid	void	fvS
binary_upgrade_set_next_pg_enum_oid	oid	void	fvS
binary_upgrade_set_next_pg_tablespace_oid	oid	void	fvS
binary_upgrade_set_next_pg_type_oid	oid	void	fvS
binary_upgrade_set_next_toast_pg_class_oid	oid	void	fvS
binary_upgrade_set_next_toast_relfilenode	oid	void	fvS
binary_upgrade_set_record_init_privs	bool	void	fvS
bit	bit,int4,bool	bit	fiS
bit	int4,int4	bit	fiS
bit	int8,int4	bit	fiS
bit_and	bit	bit	ai
bit_and	int2	int2	ai
bit_and	int4	int4	ai
bit_and	int8	int8	ai
bit_count	bit	int8	fiS
bit_count	bytea	int8	fiS
bit_length	bit	int4	fiS
bit_length	bytea	int4	fiS
bit_length	text	int4	fiS
bit_or	bit	bit	ai
bit_or	int2	int2	ai
bit_or	int4	int4	ai
bit_or	int8	int8	ai
bit_send	bit	bytea	fiS
bit_xor	bit	bit	ai
bit_xor	int2	int2	ai
bit_xor	int4	int4	ai
bit_xor	int8	int8	ai
bitand	bit,bit	bit	fiS
bitcat	varbit,varbit	varbit	fiS
bitcmp	bit,bit	int4	fiS
biteq	bit,bit	bool	fiS
bitge	bit,bit	bool	fiS
bitgt	bit,bit	bool	fiS
bitle	bit,bit	bool	fiS
bitlt	bit,bit	bool	fiS
bitne	bit,bit	bool	fiS
bitnot	bit	bit	fiS
bitor	bit,bit	bit	fiS
bitshiftleft	bit,int4	bit	fiS
bitshiftright	bit,int4	bit	fiS
bittypmodin	_cstring	int4	fiS
bitxor	bit,bit	bit	fiS
bool	int4	bool	fiS
bool	jsonb	bool	fiS
bool_and	bool	bool	ai
bool_or	bool	bool	ai
booland_statefunc	bool,bool	bool	fiS
booleq	bool,bool	bool	fiS
boolge	bool,bool	bool	fiS
boolgt	bool,bool	bool	fiS
boolle	bool,bool	bool	fiS
boollt	bool,bool	bool	fiS
boolne	bool,bool	bool	fiS
boolor_statefunc	bool,bool	bool	fiS
boolsend	bool	bytea	fiS
bound_box	box,box	box	fiS
box	circle	box	fiS
box	point	box	fiS
box	point,point	box	fiS
box	polygon	box	fiS
box_above	box,box	bool	fiS
box_above_eq	box,box	bool	fiS
box_add	box,point	box	fiS
box_below	box,box	bool	fiS
box_below_eq	box,box	bool	fiS
box_center	box	point	fiS
box_contain	box,box	bool	fiS
box_contain_pt	box,point	bool	fiS
box_contained	box,box	bool	fiS
box_distance	box,box	float8	fiS
box_div	box,point	box	fiS
box_eq	box,box	bool	fiS
box_ge	box,box	bool	fiS
box_gt	box,box	bool	fiS
box_intersect	box,box	box	fiS
box_le	box,box	bool	fiS
box_left	box,box	bool	fiS
box_lt	box,box	bool	fiS
box_mul	box,point	box	fiS
box_overabove	box,box	bool	fiS
box_overbelow	box,box	bool	fiS
box_overlap	box,box	bool	fiS
box_overleft	box,box	bool	fiS
box_overright	box,box	bool	fiS
box_right	box,box	bool	fiS
box_same	box,box	bool	fiS
box_send	box	bytea	fiS
box_sub	box,point	box	fiS
bpchar	bpchar,int4,bool	bpchar	fiS
bpchar	char	bpchar	fiS
bpchar	name	bpchar	fiS
bpchar_larger	bpchar,bpchar	bpchar	fiS
bpchar_pattern_ge	bpchar,bpchar	bool	fiS
bpchar_pattern_gt	bpchar,bpchar	bool	fiS
bpchar_pattern_le	bpchar,bpchar	bool	fiS
bpchar_pattern_lt	bpchar,bpchar	bool	fiS
bpchar_smaller	bpchar,bpchar	bpchar	fiS
bpcharcmp	bpchar,bpchar	int4	fiS
bpchareq	bpchar,bpchar	bool	fiS
bpcharge	bpchar,bpchar	bool	fiS
bpchargt	bpchar,bpchar	bool	fiS
bpchariclike	bpchar,text	bool	fiS
bpcharicnlike	bpchar,text	bool	fiS
bpcharicregexeq	bpchar,text	bool	fiS
bpcharicregexne	bpchar,text	bool	fiS
bpcharle	bpchar,bpchar	bool	fiS
bpcharlike	bpchar,text	bool	fiS
bpcharlt	bpchar,bpchar	bool	fiS
bpcharne	bpchar,bpchar	bool	fiS
bpcharnlike	bpchar,text	bool	fiS
bpcharregexeq	bpchar,text	bool	fiS
bpcharregexne	bpchar,text	bool	fiS
bpcharsend	bpchar	bytea	fsS
bpchartypmodin	_cstring	int4	fiS
brin_bloom_summary_send	pg_brin_bloom_summary	bytea	fsS
brin_desummarize_range	regclass,int8	void	fvS
brin_minmax_multi_summary_send	pg_brin_minmax_multi_summary	bytea	fsS
brin_summarize_new_values	regclass	int4	fvS
brin_summarize_range	regclass,int8	int4	fvS
broadcast	inet	inet	fiS
btarraycmp	anyarray,anyarray	int4	fiS
btboolcmp	bool,bool	int4	fiS
btbpchar_pattern_cmp	bpchar,bpchar	int4	fiS
btcharcmp	char,char	int4	fiS
btequalimage	oid	bool	fiS
btfloat48cmp	float4,float8	int4	fiS
btfloat4cmp	float4,float4	int4	fiS
btfloat84cmp	float8,float4	int4	fiS
btfloat8cmp	float8,float8	int4	fiS
btint24cmp	int2,int4	int4	fiS
btint28cmp	int2,int8	int4	fiS
btint2cmp	int2,int2	int4	fiS
btint42cmp	int4,int2	int4	fiS
btint48cmp	int4,int8	int4	fiS
btint4cmp	int4,int4	int4	fiS
btint82cmp	int8,int2	int4	fiS
btint84cmp	int8,int4	int4	fiS
btint8cmp	int8,int8	int4	fiS
btnamecmp	name,name	int4	fiS
btnametextcmp	name,text	int4	fiS
btoidcmp	oid,oid	int4	fiS
btoidvectorcmp	oidvector,oidvector	int4	fiS
btrecordcmp	record,record	int4	fiS
btrecordimagecmp	record,record	int4	fiS
btrim	bytea,bytea	bytea	fiS
btrim	text	text	fiS
btrim	text,text	text	fiS
bttext_pattern_cmp	text,text	int4	fiS
bttextcmp	text,text	int4	fiS
bttextnamecmp	text,name	int4	fiS
bttidcmp	tid,tid	int4	fiS
btvarstrequalimage	oid	bool	fiS
byteacat	bytea,bytea	bytea	fiS
byteacmp	bytea,bytea	int4	fiS
byteaeq	bytea,bytea	bool	fiS
byteage	bytea,bytea	bool	fiS
byteagt	bytea,bytea	bool	fiS
byteale	bytea,bytea	bool	fiS
bytealike	bytea,bytea	bool	fiS
bytealt	bytea,bytea	bool	fiS
byteane	bytea,bytea	bool	fiS
byteanlike	bytea,bytea	bool	fiS
byteasend	bytea	bytea	fiS
cardinality	anyarray	int4	fiS
cash_cmp	money,money	int4	fiS
cash_div_cash	money,money	float8	fiS
cash_div_flt4	money,float4	money	fiS
cash_div_flt8	money,float8	money	fiS
cash_div_int2	money,int2	money	fiS
cash_div_int4	money,int4	money	fiS
cash_div_int8	money,int8	money	fiS
cash_eq	money,money	bool	fiS
cash_ge	money,money	bool	fiS
cash_gt	money,money	bool	fiS
cash_le	money,money	bool	fiS
cash_lt	money,money	bool	fiS
cash_mi	money,money	money	fiS
cash_mul_flt4	money,float4	money	fiS
cash_mul_flt8	money,float8	money	fiS
cash_mul_int2	money,int2	money	fiS
cash_mul_int4	money,int4	money	fiS
cash_mul_int8	money,int8	money	fiS
cash_ne	money,money	bool	fiS
cash_pl	money,money	money	fiS
cash_send	money	bytea	fiS
cash_words	money	text	fiS
cashlarger	money,money	money	fiS
cashsmaller	money,money	money	fiS
cbrt	float8	float8	fiS
ceil	float8	float8	fiS
ceil	numeric	numeric	fiS
ceiling	float8	float8	fiS
ceiling	numeric	numeric	fiS
center	box	point	fiS
center	circle	point	fiS
char	int4	char	fiS
char	text	char	fiS
char_length	bpchar	int4	fiS
char_length	text	int4	fiS
character_length	bpchar	int4	fiS
character_length	text	int4	fiS
chareq	char,char	bool	fiS
charge	char,char	bool	fiS
chargt	char,char	bool	fiS
charle	char,char	bool	fiS
charlt	char,char	bool	fiS
charne	char,char	bool	fiS
charsend	char	bytea	fiS
chr	int4	text	fiS
cideq	cid,cid	bool	fiS
cidr	inet	cidr	fiS
cidr_send	cidr	bytea	fiS
cidsend	cid	bytea	fiS
circle	box	circle	fiS
circle	point,float8	circle	fiS
circle	polygon	circle	fiS
circle_above	circle,circle	bool	fiS
circle_add_pt	circle,point	circle	fiS
circle_below	circle,circle	bool	fiS
circle_center	circle	point	fiS
circle_contain	circle,circle	bool	fiS
circle_contain_pt	circle,point	bool	fiS
circle_contained	circle,circle	bool	fiS
circle_distance	circle,circle	float8	fiS
circle_div_pt	circle,point	circle	fiS
circle_eq	circle,circle	bool	fiS
circle_ge	circle,circle	bool	fiS
circle_gt	circle,circle	bool	fiS
circle_le	circle,circle	bool	fiS
circle_left	circle,circle	bool	fiS
circle_lt	circle,circle	bool	fiS
circle_mul_pt	circle,point	circle	fiS
circle_ne	circle,circle	bool	fiS
circle_overabove	circle,circle	bool	fiS
circle_overbelow	circle,circle	bool	fiS
circle_overlap	circle,circle	bool	fiS
circle_overleft	circle,circle	bool	fiS
circle_overright	circle,circle	bool	fiS
circle_right	circle,circle	bool	fiS
circle_same	circle,circle	bool	fiS
circle_send	circle	bytea	fiS
circle_sub_pt	circle,point	circle	fiS
clock_timestamp		timestamptz	fvS
close_ls	line,lseg	point	fiS
close_lseg	lseg,lseg	point	fiS
close_pb	point,box	point	fiS
close_pl	point,line	point	fiS
close_ps	point,lseg	point	fiS
close_sb	lseg,box	point	fiS
col_description	oid,int4	text	fsS
concat	any	text	fsV
concat_ws	text,any	text	fsV
convert	bytea,name,name	bytea	fsS
convert_from	bytea,name	text	fsS
convert_to	text,name	bytea	fsS
corr	float8,float8	float8	ai
cos	float8	float8	fiS
cosd	float8	float8	fiS
cosh	float8	float8	fiS
cot	float8	float8	fiS
cotd	float8	float8	fiS
count		int8	ai
count	any	int8	ai
covar_pop	float8,float8	float8	ai
covar_samp	float8,float8	float8	ai
cume_dist		float8	wi
cume_dist	any	float8	aiVO
current_database		name	fsS
current_query		text	fv
current_schema		name	fsS
current_schemas	bool	_name	fsS
current_setting	text	text	fsS
current_setting	text,bool	text	fsS
current_user		name	fsS
currtid2	text,tid	tid	fvS
currval	regclass	int8	fvS
cursor_to_xml	refcursor,int4,bool,bool,text	xml	fvS
cursor_to_xmlschema	refcursor,bool,bool,text	xml	fvS
database_to_xml	bool,bool,text	xml	fsS
database_to_xml_and_xmlschema	bool,bool,text	xml	fsS
database_to_xmlschema	bool,bool,text	xml	fsS
date	timestamp	date	fiS
date	timestamptz	date	fsS
date_bin	interval,timestamp,timestamp	timestamp	fiS
date_bin	interval,timestamptz,timestamptz	timestamptz	fiS
date_cmp	date,date	int4	fiS
date_cmp_timestamp	date,timestamp	int4	fiS
date_cmp_timestamptz	date,timestamptz	int4	fsS
date_eq	date,date	bool	fiS
date_eq_timestamp	date,timestamp	bool	fiS
date_eq_timestamptz	date,timestamptz	bool	fsS
date_ge	date,date	bool	fiS
date_ge_timestamp	date,timestamp	bool	fiS
date_ge_timestamptz	date,timestamptz	bool	fsS
date_gt	date,date	bool	fiS
date_gt_timestamp	date,timestamp	bool	fiS
date_gt_timestamptz	date,timestamptz	bool	fsS
date_larger	date,date	date	fiS
date_le	date,date	bool	fiS
date_le_timestamp	date,timestamp	bool	fiS
date_le_timestamptz	date,timestamptz	bool	fsS
date_lt	date,date	bool	fiS
date_lt_timestamp	date,timestamp	bool	fiS
date_lt_timestamptz	date,timestamptz	bool	fsS
date_mi	date,date	int4	fiS
date_mi_interval	date,interval	timestamp	fiS
date_mii	date,int4	date	fiS
date_ne	date,date	bool	fiS
date_ne_timestamp	date,timestamp	bool	fiS
date_ne_timestamptz	date,timestamptz	bool	fsS
date_part	text,date	float8	fiS
date_part	text,interval	float8	fiS
date_part	text,time	float8	fiS
date_part	text,timestamp	float8	fiS
date_part	text,timestamptz	float8	fsS
date_part	text,timetz	float8	fiS
date_pl_interval	date,interval	timestamp	fiS
date_pli	date,int4	date	fiS
date_send	date	bytea	fiS
date_smaller	date,date	date	fiS
date_trunc	text,interval	interval	fiS
date_trunc	text,timestamp	timestamp	fiS
date_trunc	text,timestamptz	timestamptz	fsS
date_trunc	text,timestamptz,text	timestamptz	fsS
datemultirange		datemultirange	fiS
datemultirange	_daterange	datemultirange	fiSV
datemultirange	daterange	datemultirange	fiS
daterange	date,date	daterange	fi
daterange	date,date,text	daterange	fi
daterange_canonical	daterange	daterange	fiS
daterange_subdiff	date,date	float8	fiS
datetime_pl	date,time	timestamp	fiS
datetimetz_pl	date,timetz	timestamptz	fiS
dcbrt	float8	float8	fiS
decode	text,text	bytea	fiS
degrees	float8	float8	fiS
dense_rank		int8	wi
dense_rank	any	int8	aiVO
dexp	float8	float8	fiS
diagonal	box	lseg	fiS
diameter	circle	float8	fiS
dist_bp	box,point	float8	fiS
dist_bs	box,lseg	float8	fiS
dist_cpoint	circle,point	float8	fiS
dist_cpoly	circle,polygon	float8	fiS
dist_lp	line,point	float8	fiS
dist_ls	line,lseg	float8	fiS
dist_pathp	path,point	float8	fiS
dist_pb	point,box	float8	fiS
dist_pc	point,circle	float8	fiS
dist_pl	point,line	float8	fiS
dist_polyc	polygon,circle	float8	fiS
dist_polyp	polygon,point	float8	fiS
dist_ppath	point,path	float8	fiS
dist_ppoly	point,polygon	float8	fiS
dist_ps	point,lseg	float8	fiS
dist_sb	lseg,box	float8	fiS
dist_sl	lseg,line	float8	fiS
dist_sp	lseg,point	float8	fiS
div	numeric,numeric	numeric	fiS
dlog1	float8	float8	fiS
dlog10	float8	float8	fiS
dpow	float8,float8	float8	fiS
dround	float8	float8	fiS
dsqrt	float8	float8	fiS
dtrunc	float8	float8	fiS
elem_contained_by_multirange	anyelement,anymultirange	bool	fiS
elem_contained_by_range	anyelement,anyrange	bool	fiS
encode	bytea,text	text	fiS
enum_cmp	anyenum,anyenum	int4	fiS
enum_eq	anyenum,anyenum	bool	fiS
enum_first	anyenum	anyenum	fs
enum_ge	anyenum,anyenum	bool	fiS
enum_gt	anyenum,anyenum	bool	fiS
enum_larger	anyenum,anyenum	anyenum	fiS
enum_last	anyenum	anyenum	fs
enum_le	anyenum,anyenum	bool	fiS
enum_lt	anyenum,anyenum	bool	fiS
enum_ne	anyenum,anyenum	bool	fiS
enum_range	anyenum	anyarray	fs
enum_range	anyenum,anyenum	anyarray	fs
enum_send	anyenum	bytea	fsS
enum_smaller	anyenum,anyenum	anyenum	fiS
every	bool	bool	ai
exp	float8	float8	fiS
exp	numeric	numeric	fiS
extract	text,date	numeric	fiS
extract	text,interval	numeric	fiS
extract	text,time	numeric	fiS
extract	text,timestamp	numeric	fiS
extract	text,timestamptz	numeric	fsS
extract	text,timetz	numeric	fiS
factorial	int8	numeric	fiS
family	inet	int4	fiS
first_value	anyelement	anyelement	wiS
float4	float8	float4	fiS
float4	int2	float4	fiS
float4	int4	float4	fiS
float4	int8	float4	fiS
float4	jsonb	float4	fiS
float4	numeric	float4	fiS
float48div	float4,float8	float8	fiS
float48eq	float4,float8	bool	fiS
float48ge	float4,float8	bool	fiS
float48gt	float4,float8	bool	fiS
float48le	float4,float8	bool	fiS
float48lt	float4,float8	bool	fiS
float48mi	float4,float8	float8	fiS
float48mul	float4,float8	float8	fiS
float48ne	float4,float8	bool	fiS
float48pl	float4,float8	float8	fiS
float4_accum	_float8,float4	_float8	fiS
float4abs	float4	float4	fiS
float4div	float4,float4	float4	fiS
float4eq	float4,float4	bool	fiS
float4ge	float4,float4	bool	fiS
float4gt	float4,float4	bool	fiS
float4larger	float4,float4	float4	fiS
float4le	float4,float4	bool	fiS
float4lt	float4,float4	bool	fiS
float4mi	float4,float4	float4	fiS
float4mul	float4,float4	float4	fiS
float4ne	float4,float4	bool	fiS
float4pl	float4,float4	float4	fiS
float4send	float4	bytea	fiS
float4smaller	float4,float4	float4	fiS
float4um	float4	float4	fiS
float4up	float4	float4	fiS
float8	float4	float8	fiS
float8	int2	float8	fiS
float8	int4	float8	fiS
float8	int8	float8	fiS
float8	jsonb	float8	fiS
float8	numeric	float8	fiS
float84div	float8,float4	float8	fiS
float84eq	float8,float4	bool	fiS
float84ge	float8,float4	bool	fiS
float84gt	float8,float4	bool	fiS
float84le	float8,float4	bool	fiS
float84lt	float8,float4	bool	fiS
float84mi	float8,float4	float8	fiS
float84mul	float8,float4	float8	fiS
float84ne	float8,float4	bool	fiS
float84pl	float8,float4	float8	fiS
float8_accum	_float8,float8	_float8	fiS
float8_avg	_float8	float8	fiS
float8_combine	_float8,_float8	_float8	fiS
float8_corr	_float8	float8	fiS
float8_covar_pop	_float8	float8	fiS
float8_covar_samp	_float8	float8	fiS
float8_regr_accum	_float8,float8,float8	_float8	fiS
float8_regr_avgx	_float8	float8	fiS
float8_regr_avgy	_float8	float8	fiS
float8_regr_combine	_float8,_float8	_float8	fiS
float8_regr_intercept	_float8	float8	fiS
float8_regr_r2	_float8	float8	fiS
float8_regr_slope	_float8	float8	fiS
float8_regr_sxx	_float8	float8	fiS
float8_regr_sxy	_float8	float8	fiS
float8_regr_syy	_float8	float8	fiS
float8_stddev_pop	_float8	float8	fiS
float8_stddev_samp	_float8	float8	fiS
float8_var_pop	_float8	float8	fiS
float8_var_samp	_float8	float8	fiS
float8abs	float8	float8	fiS
float8div	float8,float8	float8	fiS
float8eq	float8,float8	bool	fiS
float8ge	float8,float8	bool	fiS
float8gt	float8,float8	bool	fiS
float8larger	float8,float8	float8	fiS
float8le	float8,float8	bool	fiS
float8lt	float8,float8	bool	fiS
float8mi	float8,float8	float8	fiS
float8mul	float8,float8	float8	fiS
float8ne	float8,float8	bool	fiS
float8pl	float8,float8	float8	fiS
float8send	float8	bytea	fiS
float8smaller	float8,float8	float8	fiS
float8um	float8	float8	fiS
float8up	float8	float8	fiS
floor	float8	float8	fiS
floor	numeric	numeric	fiS
flt4_mul_cash	float4,money	money	fiS
flt8_mul_cash	float8,money	money	fiS
fmgr_c_validator	oid	void	fsS
fmgr_internal_validator	oid	void	fsS
fmgr_sql_validator	oid	void	fsS
format	text	text	fs
format	text,any	text	fsV
format_type	oid,int4	text	fs
gcd	int4,int4	int4	fiS
gcd	int8,int8	int8	fiS
gcd	numeric,numeric	numeric	fiS
gen_random_uuid		uuid	fvS
generate_series	int4,int4	int4	fiSR
generate_series	int4,int4,int4	int4	fiSR
generate_series	int8,int8	int8	fiSR
generate_series	int8,int8,int8	int8	fiSR
generate_series	numeric,numeric	numeric	fiSR
generate_series	numeric,numeric,numeric	numeric	fiSR
generate_series	timestamp,timestamp,interval	timestamp	fiSR
generate_series	timestamptz,timestamptz,interval	timestamptz	fsSR
generate_subscripts	anyarray,int4	int4	fiSR
generate_subscripts	anyarray,int4,bool	int4	fiSR
get_bit	bit,int4	int4	fiS
get_bit	bytea,int8	int4	fiS
get_byte	bytea,int4	int4	fiS
get_current_ts_config		regconfig	fsS
getdatabaseencoding		name	fsS
getpgusername		name	fsS
gin_clean_pending_list	regclass	int8	fvS
gin_cmp_tslexeme	text,text	int4	fiS
gin_compare_jsonb	text,text	int4	fiS
has_any_column_privilege	name,oid,text	bool	fsS
has_any_column_privilege	name,text,text	bool	fsS
has_any_column_privilege	oid,oid,text	bool	fsS
has_any_column_privilege	oid,text	bool	fsS
has_any_column_privilege	oid,text,text	bool	fsS
has_any_column_privilege	text,text	bool	fsS
has_column_privilege	name,oid,int2,text	bool	fsS
has_column_privilege	name,oid,text,text	bool	fsS
has_column_privilege	name,text,int2,text	bool	fsS
has_column_privilege	name,text,text,text	bool	fsS
has_column_privilege	oid,int2,text	bool	fsS
has_column_privilege	oid,oid,int2,text	bool	fsS
has_column_privilege	oid,oid,text,text	bool	fsS
has_column_privilege	oid,text,int2,text	bool	fsS
has_column_privilege	oid,text,text	bool	fsS
has_column_privilege	oid,text,text,text	bool	fsS
has_column_privilege	text,int2,text	bool	fsS
has_column_privilege	text,text,text	bool	fsS
has_database_privilege	name,oid,text	bool	fsS
has_database_privilege	name,text,text	bool	fsS
has_database_privilege	oid,oid,text	bool	fsS
has_database_privilege	oid,text	bool	fsS
has_database_privilege	oid,text,text	bool	fsS
has_database_privilege	text,text	bool	fsS
has_foreign_data_wrapper_privilege	name,oid,text	bool	fsS
has_foreign_data_wrapper_privilege	name,text,text	bool	fsS
has_foreign_data_wrapper_privilege	oid,oid,text	bool	fsS
has_foreign_data_wrapper_privilege	oid,text	bool	fsS
has_foreign_data_wrapper_privilege	oid,text,text	bool	fsS
has_foreign_data_wrapper_privilege	text,text	bool	fsS
has_function_privilege	name,oid,text	bool	fsS
has_function_privilege	name,text,text	bool	fsS
has_function_privilege	oid,oid,text	bool	fsS
has_function_privilege	oid,text	bool	fsS
has_function_privilege	oid,text,text	bool	fsS
has_function_privilege	text,text	bool	fsS
has_language_privilege	name,oid,text	bool	fsS
has_language_privilege	name,text,text	bool	fsS
has_language_privilege	oid,oid,text	bool	fsS
has_language_privilege	oid,text	bool	fsS
has_language_privilege	oid,text,text	bool	fsS
has_language_privilege	text,text	bool	fsS
has_parameter_privilege	name,text,text	bool	fsS
has_parameter_privilege	oid,text,text	bool	fsS
has_parameter_privilege	text,text	bool	fsS
has_schema_privilege	name,oid,text	bool	fsS
has_schema_privilege	name,text,text	bool	fsS
has_schema_privilege	oid,oid,text	bool	fsS
has_schema_privilege	oid,text	bool	fsS
has_schema_privilege	oid,text,text	bool	fsS
has_schema_privilege	text,text	bool	fsS
has_sequence_privilege	name,oid,text	bool	fsS
has_sequence_privilege	name,text,text	bool	fsS
has_sequence_privilege	oid,oid,text	bool	fsS
has_sequence_privilege	oid,text	bool	fsS
has_sequence_privilege	oid,text,text	bool	fsS
has_sequence_privilege	text,text	bool	fsS
has_server_privilege	name,oid,text	bool	fsS
has_server_privilege	name,text,text	bool	fsS
has_server_privilege	oid,oid,text	bool	fsS
has_server_privilege	oid,text	bool	fsS
has_server_privilege	oid,text,text	bool	fsS
has_server_privilege	text,text	bool	fsS
has_table_privilege	name,oid,text	bool	fsS
has_table_privilege	name,text,text	bool	fsS
has_table_privilege	oid,oid,text	bool	fsS
has_table_privilege	oid,text	bool	fsS
has_table_privilege	oid,text,text	bool	fsS
has_table_privilege	text,text	bool	fsS
has_tablespace_privilege	name,oid,text	bool	fsS
has_tablespace_privilege	name,text,text	bool	fsS
has_tablespace_privilege	oid,oid,text	bool	fsS
has_tablespace_privilege	oid,text	bool	fsS
has_tablespace_privilege	oid,text,text	bool	fsS
has_tablespace_privilege	text,text	bool	fsS
has_type_privilege	name,oid,text	bool	fsS
has_type_privilege	name,text,text	bool	fsS
has_type_privilege	oid,oid,text	bool	fsS
has_type_privilege	oid,text	bool	fsS
has_type_privilege	oid,text,text	bool	fsS
has_type_privilege	text,text	bool	fsS
hash_aclitem	aclitem	int4	fiS
hash_aclitem_extended	aclitem,int8	int8	fiS
hash_array	anyarray	int4	fiS
hash_array_extended	anyarray,int8	int8	fiS
hash_multirange	anymultirange	int4	fiS
hash_multirange_extended	anymultirange,int8	int8	fiS
hash_numeric	numeric	int4	fiS
hash_numeric_extended	numeric,int8	int8	fiS
hash_range	anyrange	int4	fiS
hash_range_extended	anyrange,int8	int8	fiS
hash_record	record	int4	fiS
hash_record_extended	record,int8	int8	fiS
hashbpchar	bpchar	int4	fiS
hashbpcharextended	bpchar,int8	int8	fiS
hashchar	char	int4	fiS
hashcharextended	char,int8	int8	fiS
hashenum	anyenum	int4	fiS
hashenumextended	anyenum,int8	int8	fiS
hashfloat4	float4	int4	fiS
hashfloat4extended	float4,int8	int8	fiS
hashfloat8	float8	int4	fiS
hashfloat8extended	float8,int8	int8	fiS
hashinet	inet	int4	fiS
hashinetextended	inet,int8	int8	fiS
hashint2	int2	int4	fiS
hashint2extended	int2,int8	int8	fiS
hashint4	int4	int4	fiS
hashint4extended	int4,int8	int8	fiS
hashint8	int8	int4	fiS
hashint8extended	int8,int8	int8	fiS
hashmacaddr	macaddr	int4	fiS
hashmacaddr8	macaddr8	int4	fiS
hashmacaddr8extended	macaddr8,int8	int8	fiS
hashmacaddrextended	macaddr,int8	int8	fiS
hashname	name	int4	fiS
hashnameextended	name,int8	int8	fiS
hashoid	oid	int4	fiS
hashoidextended	oid,int8	int8	fiS
hashoidvector	oidvector	int4	fiS
hashoidvectorextended	oidvector,int8	int8	fiS
hashtext	text	int4	fiS
hashtextextended	text,int8	int8	fiS
hashtid	tid	int4	fiS
hashtidextended	tid,int8	int8	fiS
height	box	float8	fiS
host	inet	text	fiS
hostmask	inet	inet	fiS
in_range	date,date,interval,bool,bool	bool	fiS
in_range	float4,float4,float8,bool,bool	bool	fiS
in_range	float8,float8,float8,bool,bool	bool	fiS
in_range	int2,int2,int2,bool,bool	bool	fiS
in_range	int2,int2,int4,bool,bool	bool	fiS
in_range	int2,int2,int8,bool,bool	bool	fiS
in_range	int4,int4,int2,bool,bool	bool	fiS
in_range	int4,int4,int4,bool,bool	bool	fiS
in_range	int4,int4,int8,bool,bool	bool	fiS
in_range	int8,int8,int8,bool,bool	bool	fiS
in_range	interval,interval,interval,bool,bool	bool	fiS
in_range	numeric,numeric,numeric,bool,bool	bool	fiS
in_range	time,time,interval,bool,bool	bool	fiS
in_range	timestamp,timestamp,interval,bool,bool	bool	fiS
in_range	timestamptz,timestamptz,interval,bool,bool	bool	fsS
in_range	timetz,timetz,interval,bool,bool	bool	fiS
inet_client_addr		inet	fs
inet_client_port		int4	fs
inet_merge	inet,inet	cidr	fiS
inet_same_family	inet,inet	bool	fiS
inet_send	inet	bytea	fiS
inet_server_addr		inet	fs
inet_server_port		int4	fs
inetand	inet,inet	inet	fiS
inetmi	inet,inet	int8	fiS
inetmi_int8	inet,int8	inet	fiS
inetnot	inet	inet	fiS
inetor	inet,inet	inet	fiS
inetpl	inet,int8	inet	fiS
initcap	text	text	fiS
int2	float4	int2	fiS
int2	float8	int2	fiS
int2	int4	int2	fiS
int2	int8	int2	fiS
int2	jsonb	int2	fiS
int2	numeric	int2	fiS
int24div	int2,int4	int4	fiS
int24eq	int2,int4	bool	fiS
int24ge	int2,int4	bool	fiS
int24gt	int2,int4	bool	fiS
int24le	int2,int4	bool	fiS
int24lt	int2,int4	bool	fiS
int24mi	int2,int4	int4	fiS
int24mul	int2,int4	int4	fiS
int24ne	int2,int4	bool	fiS
int24pl	int2,int4	int4	fiS
int28div	int2,int8	int8	fiS
int28eq	int2,int8	bool	fiS
int28ge	int2,int8	bool	fiS
int28gt	int2,int8	bool	fiS
int28le	int2,int8	bool	fiS
int28lt	int2,int8	bool	fiS
int28mi	int2,int8	int8	fiS
int28mul	int2,int8	int8	fiS
int28ne	int2,int8	bool	fiS
int28pl	int2,int8	int8	fiS
int2_avg_accum	_int8,int2	_int8	fiS
int2_avg_accum_inv	_int8,int2	_int8	fiS
int2_mul_cash	int2,money	money	fiS
int2_sum	int8,int2	int8	fi
int2abs	int2	int2	fiS
int2and	int2,int2	int2	fiS
int2div	int2,int2	int2	fiS
int2eq	int2,int2	bool	fiS
int2ge	int2,int2	bool	fiS
int2gt	int2,int2	bool	fiS
int2int4_sum	_int8	int8	fiS
int2larger	int2,int2	int2	fiS
int2le	int2,int2	bool	fiS
int2lt	int2,int2	bool	fiS
int2mi	int2,int2	int2	fiS
int2mod	int2,int2	int2	fiS
int2mul	int2,int2	int2	fiS
int2ne	int2,int2	bool	fiS
int2not	int2	int2	fiS
int2or	int2,int2	int2	fiS
int2pl	int2,int2	int2	fiS
int2send	int2	bytea	fiS
int2shl	int2,int4	int2	fiS
int2shr	int2,int4	int2	fiS
int2smaller	int2,int2	int2	fiS
int2um	int2	int2	fiS
int2up	int2	int2	fiS
int2vectorsend	int2vector	bytea	fiS
int2xor	int2,int2	int2	fiS
int4	bit	int4	fiS
int4	bool	int4	fiS
int4	char	int4	fiS
int4	float4	int4	fiS
int4	float8	int4	fiS
int4	int2	int4	fiS
int4	int8	int4	fiS
int4	jsonb	int4	fiS
int4	numeric	int4	fiS
int42div	int4,int2	int4	fiS
int42eq	int4,int2	bool	fiS
int42ge	int4,int2	bool	fiS
int42gt	int4,int2	bool	fiS
int42le	int4,int2	bool	fiS
int42lt	int4,int2	bool	fiS
int42mi	int4,int2	int4	fiS
int42mul	int4,int2	int4	fiS
int42ne	int4,int2	bool	fiS
int42pl	int4,int2	int4	fiS
int48div	int4,int8	int8	fiS
int48eq	int4,int8	bool	fiS
int48ge	int4,int8	bool	fiS
int48gt	int4,int8	bool	fiS
int48le	int4,int8	bool	fiS
int48lt	int4,int8	bool	fiS
int48mi	int4,int8	int8	fiS
int48mul	int4,int8	int8	fiS
int48ne	int4,int8	bool	fiS
int48pl	int4,int8	int8	fiS
int4_avg_accum	_int8,int4	_int8	fiS
int4_avg_accum_inv	_int8,int4	_int8	fiS
int4_avg_combine	_int8,_int8	_int8	fiS
int4_mul_cash	int4,money	money	fiS
int4_sum	int8,int4	int8	fi
int4abs	int4	int4	fiS
int4and	int4,int4	int4	fiS
int4div	int4,int4	int4	fiS
int4eq	int4,int4	bool	fiS
int4ge	int4,int4	bool	fiS
int4gt	int4,int4	bool	fiS
int4inc	int4	int4	fiS
int4larger	int4,int4	int4	fiS
int4le	int4,int4	bool	fiS
int4lt	int4,int4	bool	fiS
int4mi	int4,int4	int4	fiS
int4mod	int4,int4	int4	fiS
int4mul	int4,int4	int4	fiS
int4multirange		int4multirange	fiS
int4multirange	_int4range	int4multirange	fiSV
int4multirange	int4range	int4multirange	fiS
int4ne	int4,int4	bool	fiS
int4not	int4	int4	fiS
int4or	int4,int4	int4	fiS
int4pl	int4,int4	int4	fiS
int4range	int4,int4	int4range	fi
int4range	int4,int4,text	int4range	fi
int4range_canonical	int4range	int4range	fiS
int4range_subdiff	int4,int4	float8	fiS
int4send	int4	bytea	fiS
int4shl	int4,int4	int4	fiS
int4shr	int4,int4	int4	fiS
int4smaller	int4,int4	int4	fiS
int4um	int4	int4	fiS
int4up	int4	int4	fiS
int4xor	int4,int4	int4	fiS
int8	bit	int8	fiS
int8	float4	int8	fiS
int8	float8	int8	fiS
int8	int2	int8	fiS
int8	int4	int8	fiS
int8	jsonb	int8	fiS
int8	numeric	int8	fiS
int8	oid	int8	fiS
int82div	int8,int2	int8	fiS
int82eq	int8,int2	bool	fiS
int82ge	int8,int2	bool	fiS
int82gt	int8,int2	bool	fiS
int82le	int8,int2	bool	fiS
int82lt	int8,int2	bool	fiS
int82mi	int8,int2	int8	fiS
int82mul	int8,int2	int8	fiS
int82ne	int8,int2	bool	fiS
int82pl	int8,int2	int8	fiS
int84div	int8,int4	int8	fiS
int84eq	int8,int4	bool	fiS
int84ge	int8,int4	bool	fiS
int84gt	int8,int4	bool	fiS
int84le	int8,int4	bool	fiS
int84lt	int8,int4	bool	fiS
int84mi	int8,int4	int8	fiS
int84mul	int8,int4	int8	fiS
int84ne	int8,int4	bool	fiS
int84pl	int8,int4	int8	fiS
int8_avg	_int8	numeric	fiS
int8_mul_cash	int8,money	money	fiS
int8_sum	numeric,int8	numeric	fi
int8abs	int8	int8	fiS
int8and	int8,int8	int8	fiS
int8dec	int8	int8	fiS
int8dec_any	int8,any	int8	fiS
int8div	int8,int8	int8	fiS
int8eq	int8,int8	bool	fiS
int8ge	int8,int8	bool	fiS
int8gt	int8,int8	bool	fiS
int8inc	int8	int8	fiS
int8inc_any	int8,any	int8	fiS
int8inc_float8_float8	int8,float8,float8	int8	fiS
int8larger	int8,int8	int8	fiS
int8le	int8,int8	bool	fiS
int8lt	int8,int8	bool	fiS
int8mi	int8,int8	int8	fiS
int8mod	int8,int8	int8	fiS
int8mul	int8,int8	int8	fiS
int8multirange		int8multirange	fiS
int8multirange	_int8range	int8multirange	fiSV
int8multirange	int8range	int8multirange	fiS
int8ne	int8,int8	bool	fiS
int8not	int8	int8	fiS
int8or	int8,int8	int8	fiS
int8pl	int8,int8	int8	fiS
int8pl_inet	int8,inet	inet	fiS
int8range	int8,int8	int8range	fi
int8range	int8,int8,text	int8range	fi
int8range_canonical	int8range	int8range	fiS
int8range_subdiff	int8,int8	float8	fiS
int8send	int8	bytea	fiS
int8shl	int8,int4	int8	fiS
int8shr	int8,int4	int8	fiS
int8smaller	int8,int8	int8	fiS
int8um	int8	int8	fiS
int8up	int8	int8	fiS
int8xor	int8,int8	int8	fiS
integer_pl_date	int4,date	date	fiS
inter_lb	line,box	bool	fiS
inter_sb	lseg,box	bool	fiS
inter_sl	lseg,line	bool	fiS
interval	interval,int4	interval	fiS
interval	time	interval	fiS
interval_accum	_interval,interval	_interval	fiS
interval_accum_inv	_interval,interval	_interval	fiS
interval_avg	_interval	interval	fiS
interval_cmp	interval,interval	int4	fiS
interval_combine	_interval,_interval	_interval	fiS
interval_div	interval,float8	interval	fiS
interval_eq	interval,interval	bool	fiS
interval_ge	interval,interval	bool	fiS
interval_gt	interval,interval	bool	fiS
interval_hash	interval	int4	fiS
interval_hash_extended	interval,int8	int8	fiS
interval_larger	interval,interval	interval	fiS
interval_le	interval,interval	bool	fiS
interval_lt	interval,interval	bool	fiS
interval_mi	interval,interval	interval	fiS
interval_mul	interval,float8	interval	fiS
interval_ne	interval,interval	bool	fiS
interval_pl	interval,interval	interval	fiS
interval_pl_date	interval,date	timestamp	fiS
interval_pl_time	interval,time	time	fiS
interval_pl_timestamp	interval,timestamp	timestamp	fiS
interval_pl_timestamptz	interval,timestamptz	timestamptz	fsS
interval_pl_timetz	interval,timetz	timetz	fiS
interval_send	interval	bytea	fiS
interval_smaller	interval,interval	interval	fiS
interval_um	interval	interval	fiS
intervaltypmodin	_cstring	int4	fiS
is_normalized	text,text	bool	fiS1
isclosed	path	bool	fiS
isempty	anymultirange	bool	fiS
isempty	anyrange	bool	fiS
isfinite	date	bool	fiS
isfinite	interval	bool	fiS
isfinite	timestamp	bool	fiS
isfinite	timestamptz	bool	fiS
ishorizontal	line	bool	fiS
ishorizontal	lseg	bool	fiS
ishorizontal	point,point	bool	fiS
isopen	path	bool	fiS
isparallel	line,line	bool	fiS
isparallel	lseg,lseg	bool	fiS
isperp	line,line	bool	fiS
isperp	lseg,lseg	bool	fiS
isvertical	line	bool	fiS
isvertical	lseg	bool	fiS
isvertical	point,point	bool	fiS
json_agg	anyelement	json	as
json_array_element	json,int4	json	fiS
json_array_element_text	json,int4	text	fiS
json_array_elements	json	json	fiSR	value:json
json_array_elements_text	json	text	fiSR	value:text
json_array_length	json	int4	fiS
json_build_array		json	fs
json_build_array	any	json	fsV
json_build_object		json	fs
json_build_object	any	json	fsV
json_each	json	record	fiSR	key:text,value:json
json_each_text	json	record	fiSR	key:text,value:text
json_extract_path	json,_text	json	fiSV
json_extract_path_text	json,_text	text	fiSV
json_object	_text	json	fiS
json_object	_text,_text	json	fiS
json_object_agg	any,any	json	as
json_object_field	json,text	json	fiS
json_object_field_text	json,text	text	fiS
json_object_keys	json	text	fiSR
json_populate_record	anyelement,json,bool	anyelement	fs1
json_populate_recordset	anyelement,json,bool	anyelement	fsR1
json_send	json	bytea	fiS
json_strip_nulls	json	json	fiS
json_to_record	json	record	fsS
json_to_recordset	json	record	fsR
json_to_tsvector	json,jsonb	tsvector	fsS
json_to_tsvector	regconfig,json,jsonb	tsvector	fiS
json_typeof	json	text	fiS
jsonb_agg	anyelement	jsonb	as
jsonb_array_element	jsonb,int4	jsonb	fiS
jsonb_array_element_text	jsonb,int4	text	fiS
jsonb_array_elements	jsonb	jsonb	fiSR	value:jsonb
jsonb_array_elements_text	jsonb	text	fiSR	value:text
jsonb_array_length	jsonb	int4	fiS
jsonb_build_array		jsonb	fs
jsonb_build_array	any	jsonb	fsV
jsonb_build_object		jsonb	fs
jsonb_build_object	any	jsonb	fsV
jsonb_cmp	jsonb,jsonb	int4	fiS
jsonb_concat	jsonb,jsonb	jsonb	fiS
jsonb_contained	jsonb,jsonb	bool	fiS
jsonb_contains	jsonb,jsonb	bool	fiS
jsonb_delete	jsonb,_text	jsonb	fiSV
jsonb_delete	jsonb,int4	jsonb	fiS
jsonb_delete	jsonb,text	jsonb	fiS
jsonb_delete_path	jsonb,_text	jsonb	fiS
jsonb_each	jsonb	record	fiSR	key:text,value:jsonb
jsonb_each_text	jsonb	record	fiSR	key:text,value:text
jsonb_eq	jsonb,jsonb	bool	fiS
jsonb_exists	jsonb,text	bool	fiS
jsonb_exists_all	jsonb,_text	bool	fiS
jsonb_exists_any	jsonb,_text	bool	fiS
jsonb_extract_path	jsonb,_text	jsonb	fiSV
jsonb_extract_path_text	jsonb,_text	text	fiSV
jsonb_ge	jsonb,jsonb	bool	fiS
jsonb_gt	jsonb,jsonb	bool	fiS
jsonb_hash	jsonb	int4	fiS
jsonb_hash_extended	jsonb,int8	int8	fiS
jsonb_insert	jsonb,_text,jsonb,bool	jsonb	fiS1
jsonb_le	jsonb,jsonb	bool	fiS
jsonb_lt	jsonb,jsonb	bool	fiS
jsonb_ne	jsonb,jsonb	bool	fiS
jsonb_object	_text	jsonb	fiS
jsonb_object	_text,_text	jsonb	fiS
jsonb_object_agg	any,any	jsonb	ai
jsonb_object_field	jsonb,text	jsonb	fiS
jsonb_object_field_text	jsonb,text	text	fiS
jsonb_object_keys	jsonb	text	fiSR
jsonb_path_exists	jsonb,jsonpath,jsonb,bool	bool	fiS2
jsonb_path_exists_opr	jsonb,jsonpath	bool	fiS
jsonb_path_exists_tz	jsonb,jsonpath,jsonb,bool	bool	fsS2
jsonb_path_match	jsonb,jsonpath,jsonb,bool	bool	fiS2
jsonb_path_match_opr	jsonb,jsonpath	bool	fiS
jsonb_path_match_tz	jsonb,jsonpath,jsonb,bool	bool	fsS2
jsonb_path_query	jsonb,jsonpath,jsonb,bool	jsonb	fiSR2
jsonb_path_query_array	jsonb,jsonpath,jsonb,bool	jsonb	fiS2
jsonb_path_query_array_tz	jsonb,jsonpath,jsonb,bool	jsonb	fsS2
jsonb_path_query_first	jsonb,jsonpath,jsonb,bool	jsonb	fiS2
jsonb_path_query_first_tz	jsonb,jsonpath,jsonb,bool	jsonb	fsS2
jsonb_path_query_tz	jsonb,jsonpath,jsonb,bool	jsonb	fsSR2
jsonb_populate_record	anyelement,jsonb	anyelement	fs
jsonb_populate_recordset	anyelement,jsonb	anyelement	fsR
jsonb_pretty	jsonb	text	fiS
jsonb_send	jsonb	bytea	fiS
jsonb_set	jsonb,_text,jsonb,bool	jsonb	fiS1
jsonb_set_lax	jsonb,_text,jsonb,bool,text	jsonb	fi2
jsonb_strip_nulls	jsonb	jsonb	fiS
jsonb_to_record	jsonb	record	fsS
jsonb_to_recordset	jsonb	record	fsR
jsonb_to_tsvector	jsonb,jsonb	tsvector	fsS
jsonb_to_tsvector	regconfig,jsonb,jsonb	tsvector	fiS
jsonb_typeof	jsonb	text	fiS
jsonpath_send	jsonpath	bytea	fiS
justify_days	interval	interval	fiS
justify_hours	interval	interval	fiS
justify_interval	interval	interval	fiS
lag	anycompatible,int4,anycompatible	anycompatible	wiS
lag	anyelement	anyelement	wiS
lag	anyelement,int4	anyelement	wiS
last_value	anyelement	anyelement	wiS
lastval		int8	fvS
lcm	int4,int4	int4	fiS
lcm	int8,int8	int8	fiS
lcm	numeric,numeric	numeric	fiS
lead	anycompatible,int4,anycompatible	anycompatible	wiS
lead	anyelement	anyelement	wiS
lead	anyelement,int4	anyelement	wiS
left	text,int4	text	fiS
length	bit	int4	fiS
length	bpchar	int4	fiS
length	bytea	int4	fiS
length	bytea,name	int4	fsS
length	lseg	float8	fiS
length	path	float8	fiS
length	text	int4	fiS
length	tsvector	int4	fiS
like	bytea,bytea	bool	fiS
like	name,text	bool	fiS
like	text,text	bool	fiS
like_escape	bytea,bytea	bytea	fiS
like_escape	text,text	text	fiS
line	point,point	line	fiS
line_distance	line,line	float8	fiS
line_eq	line,line	bool	fiS
line_horizontal	line	bool	fiS
line_interpt	line,line	point	fiS
line_intersect	line,line	bool	fiS
line_parallel	line,line	bool	fiS
line_perp	line,line	bool	fiS
line_send	line	bytea	fiS
line_vertical	line	bool	fiS
ln	float8	float8	fiS
ln	numeric	numeric	fiS
lo_close	int4	int4	fvS
lo_creat	int4	oid	fvS
lo_create	oid	oid	fvS
lo_export	oid,text	int4	fvS
lo_from_bytea	oid,bytea	oid	fvS
lo_get	oid	bytea	fvS
lo_get	oid,int8,int4	bytea	fvS
lo_import	text	oid	fvS
lo_import	text,oid	oid	fvS
lo_lseek	int4,int4,int4	int4	fvS
lo_lseek64	int4,int8,int4	int8	fvS
lo_open	oid,int4	int4	fvS
lo_put	oid,int8,bytea	void	fvS
lo_tell	int4	int4	fvS
lo_tell64	int4	int8	fvS
lo_truncate	int4,int4	int4	fvS
lo_truncate64	int4,int8	int4	fvS
lo_unlink	oid	int4	fvS
log	float8	float8	fiS
log	numeric	numeric	fiS
log	numeric,numeric	numeric	fiS
log10	float8	float8	fiS
log10	numeric	numeric	fiS
loread	int4,int4	bytea	fvS
lower	anymultirange	anyelement	fiS
lower	anyrange	anyelement	fiS
lower	text	text	fiS
lower_inc	anymultirange	bool	fiS
lower_inc	anyrange	bool	fiS
lower_inf	anymultirange	bool	fiS
lower_inf	anyrange	bool	fiS
lowrite	int4,bytea	int4	fvS
lpad	text,int4	text	fiS
lpad	text,int4,text	text	fiS
lseg	box	lseg	fiS
lseg	point,point	lseg	fiS
lseg_center	lseg	point	fiS
lseg_distance	lseg,lseg	float8	fiS
lseg_eq	lseg,lseg	bool	fiS
lseg_ge	lseg,lseg	bool	fiS
lseg_gt	lseg,lseg	bool	fiS
lseg_horizontal	lseg	bool	fiS
lseg_interpt	lseg,lseg	point	fiS
lseg_intersect	lseg,lseg	bool	fiS
lseg_le	lseg,lseg	bool	fiS
lseg_length	lseg	float8	fiS
lseg_lt	lseg,lseg	bool	fiS
lseg_ne	lseg,lseg	bool	fiS
lseg_parallel	lseg,lseg	bool	fiS
lseg_perp	lseg,lseg	bool	fiS
lseg_send	lseg	bytea	fiS
lseg_vertical	lseg	bool	fiS
ltrim	bytea,bytea	bytea	fiS
ltrim	text	text	fiS
ltrim	text,text	text	fiS
macaddr	macaddr8	macaddr	fiS
macaddr8	macaddr	macaddr8	fiS
macaddr8_and	macaddr8,macaddr8	macaddr8	fiS
macaddr8_cmp	macaddr8,macaddr8	int4	fiS
macaddr8_eq	macaddr8,macaddr8	bool	fiS
macaddr8_ge	macaddr8,macaddr8	bool	fiS
macaddr8_gt	macaddr8,macaddr8	bool	fiS
macaddr8_le	macaddr8,macaddr8	bool	fiS
macaddr8_lt	macaddr8,macaddr8	bool	fiS
macaddr8_ne	macaddr8,macaddr8	bool	fiS
macaddr8_not	macaddr8	macaddr8	fiS
macaddr8_or	macaddr8,macaddr8	macaddr8	fiS
macaddr8_send	macaddr8	bytea	fiS
macaddr8_set7bit	macaddr8	macaddr8	fiS
macaddr_and	macaddr,macaddr	macaddr	fiS
macaddr_cmp	macaddr,macaddr	int4	fiS
macaddr_eq	macaddr,macaddr	bool	fiS
macaddr_ge	macaddr,macaddr	bool	fiS
macaddr_gt	macaddr,macaddr	bool	fiS
macaddr_le	macaddr,macaddr	bool	fiS
macaddr_lt	macaddr,macaddr	bool	fiS
macaddr_ne	macaddr,macaddr	bool	fiS
macaddr_not	macaddr	macaddr	fiS
macaddr_or	macaddr,macaddr	macaddr	fiS
macaddr_send	macaddr	bytea	fiS
make_date	int4,int4,int4	date	fiS
make_interval	int4,int4,int4,int4,int4,int4,float8	interval	fiS7
make_time	int4,int4,float8	time	fiS
make_timestamp	int4,int4,int4,int4,int4,float8	timestamp	fiS
make_timestamptz	int4,int4,int4,int4,int4,float8	timestamptz	fsS
make_timestamptz	int4,int4,int4,int4,int4,float8,text	timestamptz	fsS
makeaclitem	oid,oid,text,bool	aclitem	fiS
masklen	inet	int4	fiS
max	anyarray	anyarray	ai
max	anyenum	anyenum	ai
max	bpchar	bpchar	ai
max	date	date	ai
max	float4	float4	ai
max	float8	float8	ai
max	inet	inet	ai
max	int2	int2	ai
max	int4	int4	ai
max	int8	int8	ai
max	interval	interval	ai
max	money	money	ai
max	numeric	numeric	ai
max	oid	oid	ai
max	pg_lsn	pg_lsn	ai
max	text	text	ai
max	tid	tid	ai
max	time	time	ai
max	timestamp	timestamp	ai
max	timestamptz	timestamptz	ai
max	timetz	timetz	ai
max	xid8	xid8	ai
md5	bytea	text	fiS
md5	text	text	fiS
min	anyarray	anyarray	ai
min	anyenum	anyenum	ai
min	bpchar	bpchar	ai
min	date	date	ai
min	float4	float4	ai
min	float8	float8	ai
min	inet	inet	ai
min	int2	int2	ai
min	int4	int4	ai
min	int8	int8	ai
min	interval	interval	ai
min	money	money	ai
min	numeric	numeric	ai
min	oid	oid	ai
min	pg_lsn	pg_lsn	ai
min	text	text	ai
min	tid	tid	ai
min	time	time	ai
min	timestamp	timestamp	ai
min	timestamptz	timestamptz	ai
min	timetz	timetz	ai
min	xid8	xid8	ai
min_scale	numeric	int4	fiS
mod	int2,int2	int2	fiS
mod	int4,int4	int4	fiS
mod	int8,int8	int8	fiS
mod	numeric,numeric	numeric	fiS
mode	anyelement	anyelement	aiO
money	int4	money	fsS
money	int8	money	fsS
money	numeric	money	fsS
mul_d_interval	float8,interval	interval	fiS
multirange	anyrange	anymultirange	fiS
multirange_adjacent_multirange	anymultirange,anymultirange	bool	fiS
multirange_adjacent_range	anymultirange,anyrange	bool	fiS
multirange_after_multirange	anymultirange,anymultirange	bool	fiS
multirange_after_range	anymultirange,anyrange	bool	fiS
multirange_before_multirange	anymultirange,anymultirange	bool	fiS
multirange_before_range	anymultirange,anyrange	bool	fiS
multirange_cmp	anymultirange,anymultirange	int4	fiS
multirange_contained_by_multirange	anymultirange,anymultirange	bool	fiS
multirange_contained_by_range	anymultirange,anyrange	bool	fiS
multirange_contains_elem	anymultirange,anyelement	bool	fiS
multirange_contains_multirange	anymultirange,anymultirange	bool	fiS
multirange_contains_range	anymultirange,anyrange	bool	fiS
multirange_eq	anymultirange,anymultirange	bool	fiS
multirange_ge	anymultirange,anymultirange	bool	fiS
multirange_gt	anymultirange,anymultirange	bool	fiS
multirange_intersect	anymultirange,anymultirange	anymultirange	fiS
multirange_intersect_agg_transfn	anymultirange,anymultirange	anymultirange	fiS
multirange_le	anymultirange,anymultirange	bool	fiS
multirange_lt	anymultirange,anymultirange	bool	fiS
multirange_minus	anymultirange,anymultirange	anymultirange	fiS
multirange_ne	anymultirange,anymultirange	bool	fiS
multirange_overlaps_multirange	anymultirange,anymultirange	bool	fiS
multirange_overlaps_range	anymultirange,anyrange	bool	fiS
multirange_overleft_multirange	anymultirange,anymultirange	bool	fiS
multirange_overleft_range	anymultirange,anyrange	bool	fiS
multirange_overright_multirange	anymultirange,anymultirange	bool	fiS
multirange_overright_range	anymultirange,anyrange	bool	fiS
multirange_send	anymultirange	bytea	fsS
multirange_union	anymultirange,anymultirange	anymultirange	fiS
mxid_age	xid	int4	fsS
name	bpchar	name	fiS
name	text	name	fiS
name	varchar	name	fiS
nameconcatoid	name,oid	name	fiS
nameeq	name,name	bool	fiS
nameeqtext	name,text	bool	fiS
namege	name,name	bool	fiS
namegetext	name,text	bool	fiS
namegt	name,name	bool	fiS
namegttext	name,text	bool	fiS
nameiclike	name,text	bool	fiS
nameicnlike	name,text	bool	fiS
nameicregexeq	name,text	bool	fiS
nameicregexne	name,text	bool	fiS
namele	name,name	bool	fiS
nameletext	name,text	bool	fiS
namelike	name,text	bool	fiS
namelt	name,name	bool	fiS
namelttext	name,text	bool	fiS
namene	name,name	bool	fiS
namenetext	name,text	bool	fiS
namenlike	name,text	bool	fiS
nameregexeq	name,text	bool	fiS
nameregexne	name,text	bool	fiS
namesend	name	bytea	fsS
netmask	inet	inet	fiS
network	inet	cidr	fiS
network_cmp	inet,inet	int4	fiS
network_eq	inet,inet	bool	fiS
network_ge	inet,inet	bool	fiS
network_gt	inet,inet	bool	fiS
network_larger	inet,inet	inet	fiS
network_le	inet,inet	bool	fiS
network_lt	inet,inet	bool	fiS
network_ne	inet,inet	bool	fiS
network_overlap	inet,inet	bool	fiS
network_smaller	inet,inet	inet	fiS
network_sub	inet,inet	bool	fiS
network_subeq	inet,inet	bool	fiS
network_sup	inet,inet	bool	fiS
network_supeq	inet,inet	bool	fiS
nextval	regclass	int8	fvS
normalize	text,text	text	fiS1
notlike	bytea,bytea	bool	fiS
notlike	name,text	bool	fiS
notlike	text,text	bool	fiS
now		timestamptz	fsS
npoints	path	int4	fiS
npoints	polygon	int4	fiS
nth_value	anyelement,int4	anyelement	wiS
ntile	int4	int4	wiS
num_nonnulls	any	int4	fiV
num_nulls	any	int4	fiV
numeric	float4	numeric	fiS
numeric	float8	numeric	fiS
numeric	int2	numeric	fiS
numeric	int4	numeric	fiS
numeric	int8	numeric	fiS
numeric	jsonb	numeric	fiS
numeric	money	numeric	fsS
numeric	numeric,int4	numeric	fiS
numeric_abs	numeric	numeric	fiS
numeric_add	numeric,numeric	numeric	fiS
numeric_cmp	numeric,numeric	int4	fiS
numeric_div	numeric,numeric	numeric	fiS
numeric_div_trunc	numeric,numeric	numeric	fiS
numeric_eq	numeric,numeric	bool	fiS
numeric_exp	numeric	numeric	fiS
numeric_ge	numeric,numeric	bool	fiS
numeric_gt	numeric,numeric	bool	fiS
numeric_inc	numeric	numeric	fiS
numeric_larger	numeric,numeric	numeric	fiS
numeric_le	numeric,numeric	bool	fiS
numeric_ln	numeric	numeric	fiS
numeric_log	numeric,numeric	numeric	fiS
numeric_lt	numeric,numeric	bool	fiS
numeric_mod	numeric,numeric	numeric	fiS
numeric_mul	numeric,numeric	numeric	fiS
numeric_ne	numeric,numeric	bool	fiS
numeric_pl_pg_lsn	numeric,pg_lsn	pg_lsn	fiS
numeric_power	numeric,numeric	numeric	fiS
numeric_send	numeric	bytea	fiS
numeric_smaller	numeric,numeric	numeric	fiS
numeric_sqrt	numeric	numeric	fiS
numeric_sub	numeric,numeric	numeric	fiS
numeric_uminus	numeric	numeric	fiS
numeric_uplus	numeric	numeric	fiS
numerictypmodin	_cstring	int4	fiS
nummultirange		nummultirange	fiS
nummultirange	_numrange	nummultirange	fiSV
nummultirange	numrange	nummultirange	fiS
numnode	tsquery	int4	fiS
numrange	numeric,numeric	numrange	fi
numrange	numeric,numeric,text	numrange	fi
numrange_subdiff	numeric,numeric	float8	fiS
obj_description	oid	text	fsS
obj_description	oid,name	text	fsS
octet_length	bit	int4	fiS
octet_length	bpchar	int4	fiS
octet_length	bytea	int4	fiS
octet_length	text	int4	fiS
oid	int8	oid	fiS
oideq	oid,oid	bool	fiS
oidge	oid,oid	bool	fiS
oidgt	oid,oid	bool	fiS
oidlarger	oid,oid	oid	fiS
oidle	oid,oid	bool	fiS
oidlt	oid,oid	bool	fiS
oidne	oid,oid	bool	fiS
oidsend	oid	bytea	fiS
oidsmaller	oid,oid	oid	fiS
oidvectoreq	oidvector,oidvector	bool	fiS
oidvectorge	oidvector,oidvector	bool	fiS
oidvectorgt	oidvector,oidvector	bool	fiS
oidvectorle	oidvector,oidvector	bool	fiS
oidvectorlt	oidvector,oidvector	bool	fiS
oidvectorne	oidvector,oidvector	bool	fiS
oidvectorsend	oidvector	bytea	fiS
oidvectortypes	oidvector	text	fsS
on_pb	point,box	bool	fiS
on_pl	point,line	bool	fiS
on_ppath	point,path	bool	fiS
on_ps	point,lseg	bool	fiS
on_sb	lseg,box	bool	fiS
on_sl	lseg,line	bool	fiS
overlaps	time,interval,time,interval	bool	fi
overlaps	time,interval,time,time	bool	fi
overlaps	time,time,time,interval	bool	fi
overlaps	time,time,time,time	bool	fi
overlaps	timestamp,interval,timestamp,interval	bool	fi
overlaps	timestamp,interval,timestamp,timestamp	bool	fi
overlaps	timestamp,timestamp,timestamp,interval	bool	fi
overlaps	timestamp,timestamp,timestamp,timestamp	bool	fi
overlaps	timestamptz,interval,timestamptz,interval	bool	fs
overlaps	timestamptz,interval,timestamptz,timestamptz	bool	fs
overlaps	timestamptz,timestamptz,timestamptz,interval	bool	fs
overlaps	timestamptz,timestamptz,timestamptz,timestamptz	bool	fi
overlaps	timetz,timetz,timetz,timetz	bool	fi
overlay	bit,bit,int4	bit	fiS
overlay	bit,bit,int4,int4	bit	fiS
overlay	bytea,bytea,int4	bytea	fiS
overlay	bytea,bytea,int4,int4	bytea	fiS
overlay	text,text,int4	text	fiS
overlay	text,text,int4,int4	text	fiS
parse_ident	text,bool	_text	fiS1
path	polygon	path	fiS
path_add	path,path	path	fiS
path_add_pt	path,point	path	fiS
path_contain_pt	path,point	bool	fiS
path_distance	path,path	float8	fiS
path_div_pt	path,point	path	fiS
path_inter	path,path	bool	fiS
path_length	path	float8	fiS
path_mul_pt	path,point	path	fiS
path_n_eq	path,path	bool	fiS
path_n_ge	path,path	bool	fiS
path_n_gt	path,path	bool	fiS
path_n_le	path,path	bool	fiS
path_n_lt	path,path	bool	fiS
path_npoints	path	int4	fiS
path_send	path	bytea	fiS
path_sub_pt	path,point	path	fiS
pclose	path	path	fiS
percent_rank		float8	wi
percent_rank	any	float8	aiVO
percentile_cont	_float8,float8	_float8	aiO
percentile_cont	_float8,interval	_interval	aiO
percentile_cont	float8,float8	float8	aiO
percentile_cont	float8,interval	interval	aiO
percentile_disc	_float8,anyelement	anyarray	aiO
percentile_disc	float8,anyelement	anyelement	aiO
pg_advisory_lock	int4,int4	void	fvS
pg_advisory_lock	int8	void	fvS
pg_advisory_lock_shared	int4,int4	void	fvS
pg_advisory_lock_shared	int8	void	fvS
pg_advisory_unlock	int4,int4	bool	fvS
pg_advisory_unlock	int8	bool	fvS
pg_advisory_unlock_all		void	fvS
pg_advisory_unlock_shared	int4,int4	bool	fvS
pg_advisory_unlock_shared	int8	bool	fvS
pg_advisory_xact_lock	int4,int4	void	fvS
pg_advisory_xact_lock	int8	void	fvS
pg_advisory_xact_lock_shared	int4,int4	void	fvS
pg_advisory_xact_lock_shared	int8	void	fvS
pg_available_extension_versions		record	fsSR	name:name,version:text,superuser:bool,trusted:bool,relocatable:bool,schema:name,requires:_name,comment:text
pg_available_extensions		record	fsSR	name:name,default_version:text,comment:text
pg_backend_pid		int4	fsS
pg_backup_start	text,bool	pg_lsn	fvS1
pg_backup_stop	bool	record	fvS1	lsn:pg_lsn,labelfile:text,spcmapfile:text
pg_blocking_pids	int4	_int4	fvS
pg_cancel_backend	int4	bool	fvS
pg_char_to_encoding	name	int4	fsS
pg_client_encoding		name	fsS
pg_collation_actual_version	oid	text	fvS
pg_collation_for	any	text	fs
pg_collation_is_visible	oid	bool	fsS
pg_column_compression	any	text	fsS
pg_column_is_updatable	regclass,int2,bool	bool	fsS
pg_column_size	any	int4	fsS
pg_conf_load_time		timestamptz	fsS
pg_config		record	fsSR	name:text,setting:text
pg_control_checkpoint		record	fvS	checkpoint_lsn:pg_lsn,redo_lsn:pg_lsn,redo_wal_file:text,timeline_id:int4,prev_timeline_id:int4,full_page_writes:bool,next_xid:text,next_oid:oid,next_multixact_id:xid,next_multi_offset:xid,oldest_xid:xid,oldest_xid_dbid:oid,oldest_active_xid:xid,oldest_multi_xid:xid,oldest_multi_dbid:oid,oldest_commit_ts_xid:xid,newest_commit_ts_xid:xid,checkpoint_time:timestamptz
pg_control_init		record	fvS	max_data_alignment:int4,database_block_size:int4,blocks_per_segment:int4,wal_block_size:int4,bytes_per_wal_segment:int4,max_identifier_length:int4,max_index_columns:int4,max_toast_chunk_size:int4,large_object_chunk_size:int4,float8_pass_by_value:bool,data_page_checksum_version:int4
pg_control_recovery		record	fvS	min_recovery_end_lsn:pg_lsn,min_recovery_end_timeline:int4,backup_start_lsn:pg_lsn,backup_end_lsn:pg_lsn,end_of_backup_record_required:bool
pg_control_system		record	fvS	pg_control_version:int4,catalog_version_no:int4,system_identifier:int8,pg_control_last_modified:timestamptz
pg_conversion_is_visible	oid	bool	fsS
pg_copy_logical_replication_slot	name,name	record	fvS	slot_name:name,lsn:pg_lsn
pg_copy_logical_replication_slot	name,name,bool	record	fvS	slot_name:name,lsn:pg_lsn
pg_copy_logical_replication_slot	name,name,bool,name	record	fvS	slot_name:name,lsn:pg_lsn
pg_copy_physical_replication_slot	name,name	record	fvS	slot_name:name,lsn:pg_lsn
pg_copy_physical_replication_slot	name,name,bool	record	fvS	slot_name:name,lsn:pg_lsn
pg_create_logical_replication_slot	name,name,bool,bool	record	fvS2	slot_name:name,lsn:pg_lsn
pg_create_physical_replication_slot	name,bool,bool	record	fvS2	slot_name:name,lsn:pg_lsn
pg_create_restore_point	text	pg_lsn	fvS
pg_current_logfile		text	fv
pg_current_logfile	text	text	fv
pg_current_snapshot		pg_snapshot	fsS
pg_current_wal_flush_lsn		pg_lsn	fvS
pg_current_wal_insert_lsn		pg_lsn	fvS
pg_current_wal_lsn		pg_lsn	fvS
pg_current_xact_id		xid8	fsS
pg_current_xact_id_if_assigned		xid8	fsS
pg_cursor		record	fsSR	name:text,statement:text,is_holdable:bool,is_binary:bool,is_scrollable:bool,creation_time:timestamptz
pg_database_collation_actual_version	oid	text	fvS
pg_database_size	name	int8	fvS
pg_database_size	oid	int8	fvS
pg_dependencies_send	pg_dependencies	bytea	fsS
pg_describe_object	oid,oid,int4	text	fsS
pg_drop_replication_slot	name	void	fvS
pg_encoding_max_length	int4	int4	fiS
pg_encoding_to_char	int4	name	fsS
pg_event_trigger_ddl_commands		record	fsSR	classid:oid,objid:oid,objsubid:int4,command_tag:text,object_type:text,schema_name:text,object_identity:text,in_extension:bool,command:pg_ddl_command
pg_event_trigger_dropped_objects		record	fsSR	classid:oid,objid:oid,objsubid:int4,original:bool,normal:bool,is_temporary:bool,object_type:text,schema_name:text,object_name:text,object_identity:text,address_names:_text,address_args:_text
pg_event_trigger_table_rewrite_oid		oid	fsS	oid:oid
pg_event_trigger_table_rewrite_reason		int4	fsS
pg_export_snapshot		text	fvS
pg_extension_config_dump	regclass,text	void	fvS
pg_extension_update_paths	name	record	fsSR	source:text,target:text,path:text
pg_filenode_relation	oid,oid	regclass	fsS
pg_function_is_visible	oid	bool	fsS
pg_get_backend_memory_contexts		record	fvSR	name:text,ident:text,parent:text,level:int4,total_bytes:int8,total_nblocks:int8,free_bytes:int8,free_chunks:int8,used_bytes:int8
pg_get_catalog_foreign_keys		record	fsSR	fktable:regclass,fkcols:_text,pktable:regclass,pkcols:_text,is_array:bool,is_opt:bool
pg_get_constraintdef	oid	text	fsS
pg_get_constraintdef	oid,bool	text	fsS
pg_get_expr	pg_node_tree,oid	text	fsS
pg_get_expr	pg_node_tree,oid,bool	text	fsS
pg_get_function_arg_default	oid,int4	text	fsS
pg_get_function_arguments	oid	text	fsS
pg_get_function_identity_arguments	oid	text	fsS
pg_get_function_result	oid	text	fsS
pg_get_function_sqlbody	oid	text	fsS
pg_get_functiondef	oid	text	fsS
pg_get_indexdef	oid	text	fsS
pg_get_indexdef	oid,int4,bool	text	fsS
pg_get_keywords		record	fsSR	word:text,catcode:char,barelabel:bool,catdesc:text,baredesc:text
pg_get_multixact_members	xid	record	fvSR	xid:xid,mode:text
pg_get_object_address	text,_text,_text	record	fsS	classid:oid,objid:oid,objsubid:int4
pg_get_partition_constraintdef	oid	text	fsS
pg_get_partkeydef	oid	text	fsS
pg_get_publication_tables	text	record	fsSR	relid:oid,attrs:int2vector,qual:pg_node_tree
pg_get_replica_identity_index	regclass	regclass	fsS
pg_get_replication_slots		record	fsR	slot_name:name,plugin:name,slot_type:text,datoid:oid,temporary:bool,active:bool,active_pid:int4,xmin:xid,catalog_xmin:xid,restart_lsn:pg_lsn,confirmed_flush_lsn:pg_lsn,wal_status:text,safe_wal_size:int8,two_phase:bool
pg_get_ruledef	oid	text	fsS
pg_get_ruledef	oid,bool	text	fsS
pg_get_serial_sequence	text,text	text	fsS
pg_get_shmem_allocations		record	fvSR	name:text,off:int8,size:int8,allocated_size:int8
pg_get_statisticsobjdef	oid	text	fsS
pg_get_statisticsobjdef_columns	oid	text	fsS
pg_get_statisticsobjdef_expressions	oid	_text	fsS
pg_get_triggerdef	oid	text	fsS
pg_get_triggerdef	oid,bool	text	fsS
pg_get_userbyid	oid	name	fsS
pg_get_viewdef	oid	text	fsS
pg_get_viewdef	oid,bool	text	fsS
pg_get_viewdef	oid,int4	text	fsS
pg_get_viewdef	text	text	fsS
pg_get_viewdef	text,bool	text	fsS
pg_get_wal_replay_pause_state		text	fvS
pg_get_wal_resource_managers		record	fvSR	rm_id:int4,rm_name:text,rm_builtin:bool
pg_has_role	name,name,text	bool	fsS
pg_has_role	name,oid,text	bool	fsS
pg_has_role	name,text	bool	fsS
pg_has_role	oid,name,text	bool	fsS
pg_has_role	oid,oid,text	bool	fsS
pg_has_role	oid,text	bool	fsS
pg_hba_file_rules		record	fvSR	line_number:int4,type:text,database:_text,user_name:_text,address:text,netmask:text,auth_method:text,options:_text,error:text
pg_ident_file_mappings		record	fvSR	line_number:int4,map_name:text,sys_name:text,pg_username:text,error:text
pg_identify_object	oid,oid,int4	record	fsS	type:text,schema:text,name:text,identity:text
pg_identify_object_as_address	oid,oid,int4	record	fsS	type:text,object_names:_text,object_args:_text
pg_import_system_collations	regnamespace	int4	fvS
pg_index_column_has_property	regclass,int4,text	bool	fsS
pg_index_has_property	regclass,text	bool	fsS
pg_indexam_has_property	oid,text	bool	fsS
pg_indexam_progress_phasename	oid,int8	text	fiS
pg_indexes_size	regclass	int8	fvS
pg_is_in_recovery		bool	fvS
pg_is_other_temp_schema	oid	bool	fsS
pg_is_wal_replay_paused		bool	fvS
pg_isolation_test_session_is_blocked	int4,_int4	bool	fvS
pg_jit_available		bool	fvS
pg_last_committed_xact		record	fvS	xid:xid,timestamp:timestamptz,roident:oid
pg_last_wal_receive_lsn		pg_lsn	fvS
pg_last_wal_replay_lsn		pg_lsn	fvS
pg_last_xact_replay_timestamp		timestamptz	fvS
pg_listening_channels		text	fsSR
pg_lock_status		record	fvSR	locktype:text,database:oid,relation:oid,page:int4,tuple:int2,virtualxid:text,transactionid:xid,classid:oid,objid:oid,objsubid:int2,virtualtransaction:text,pid:int4,mode:text,granted:bool,fastpath:bool,waitstart:timestamptz
pg_log_backend_memory_contexts	int4	bool	fvS
pg_logical_emit_message	bool,text,bytea	pg_lsn	fvS
pg_logical_emit_message	bool,text,text	pg_lsn	fvS
pg_logical_slot_get_binary_changes	name,pg_lsn,int4,_text	record	fvRV1	lsn:pg_lsn,xid:xid,data:bytea
pg_logical_slot_get_changes	name,pg_lsn,int4,_text	record	fvRV1	lsn:pg_lsn,xid:xid,data:text
pg_logical_slot_peek_binary_changes	name,pg_lsn,int4,_text	record	fvRV1	lsn:pg_lsn,xid:xid,data:bytea
pg_logical_slot_peek_changes	name,pg_lsn,int4,_text	record	fvRV1	lsn:pg_lsn,xid:xid,data:text
pg_ls_archive_statusdir		record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_dir	text	text	fvSR
pg_ls_dir	text,bool,bool	text	fvSR
pg_ls_logdir		record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_logicalmapdir		record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_logicalsnapdir		record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_replslotdir	text	record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_tmpdir		record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_tmpdir	oid	record	fvSR	name:text,size:int8,modification:timestamptz
pg_ls_waldir		record	fvSR	name:text,size:int8,modification:timestamptz
pg_lsn	numeric	pg_lsn	fiS
pg_lsn_cmp	pg_lsn,pg_lsn	int4	fiS
pg_lsn_eq	pg_lsn,pg_lsn	bool	fiS
pg_lsn_ge	pg_lsn,pg_lsn	bool	fiS
pg_lsn_gt	pg_lsn,pg_lsn	bool	fiS
pg_lsn_hash	pg_lsn	int4	fiS
pg_lsn_hash_extended	pg_lsn,int8	int8	fiS
pg_lsn_larger	pg_lsn,pg_lsn	pg_lsn	fiS
pg_lsn_le	pg_lsn,pg_lsn	bool	fiS
pg_lsn_lt	pg_lsn,pg_lsn	bool	fiS
pg_lsn_mi	pg_lsn,pg_lsn	numeric	fiS
pg_lsn_mii	pg_lsn,numeric	pg_lsn	fiS
pg_lsn_ne	pg_lsn,pg_lsn	bool	fiS
pg_lsn_pli	pg_lsn,numeric	pg_lsn	fiS
pg_lsn_send	pg_lsn	bytea	fiS
pg_lsn_smaller	pg_lsn,pg_lsn	pg_lsn	fiS
pg_mcv_list_items	pg_mcv_list	record	fsSR	index:int4,values:_text,nulls:_bool,frequency:float8,base_frequency:float8
pg_mcv_list_send	pg_mcv_list	bytea	fsS
pg_my_temp_schema		oid	fsS
pg_ndistinct_send	pg_ndistinct	bytea	fsS
pg_nextoid	regclass,name,regclass	oid	fvS
pg_node_tree_send	pg_node_tree	bytea	fsS
pg_notification_queue_usage		float8	fvS
pg_notify	text,text	void	fv
pg_opclass_is_visible	oid	bool	fsS
pg_operator_is_visible	oid	bool	fsS
pg_opfamily_is_visible	oid	bool	fsS
pg_options_to_table	_text	record	fsSR	option_name:text,option_value:text
pg_partition_ancestors	regclass	regclass	fvSR	relid:regclass
pg_partition_root	regclass	regclass	fiS
pg_partition_tree	regclass	record	fvSR	relid:regclass,parentrelid:regclass,isleaf:bool,level:int4
pg_postmaster_start_time		timestamptz	fsS
pg_prepared_statement		record	fsSR	name:text,statement:text,prepare_time:timestamptz,parameter_types:_regtype,from_sql:bool,generic_plans:int8,custom_plans:int8
pg_prepared_xact		record	fvSR	transaction:xid,gid:text,prepared:timestamptz,ownerid:oid,dbid:oid
pg_promote	bool,int4	bool	fvS2
pg_read_binary_file	text	bytea	fvS
pg_read_binary_file	text,int8,int8	bytea	fvS
pg_read_binary_file	text,int8,int8,bool	bytea	fvS
pg_read_file	text	text	fvS
pg_read_file	text,int8,int8	text	fvS
pg_read_file	text,int8,int8,bool	text	fvS
pg_read_file_old	text,int8,int8	text	fvS
pg_relation_filenode	regclass	oid	fsS
pg_relation_filepath	regclass	text	fsS
pg_relation_is_publishable	regclass	bool	fsS
pg_relation_is_updatable	regclass,bool	int4	fsS
pg_relation_size	regclass	int8	fvS
pg_relation_size	regclass,text	int8	fvS
pg_reload_conf		bool	fvS
pg_replication_origin_advance	text,pg_lsn	void	fvS
pg_replication_origin_create	text	oid	fvS
pg_replication_origin_drop	text	void	fvS
pg_replication_origin_oid	text	oid	fsS
pg_replication_origin_progress	text,bool	pg_lsn	fvS
pg_replication_origin_session_is_setup		bool	fvS
pg_replication_origin_session_progress	bool	pg_lsn	fvS
pg_replication_origin_session_reset		void	fvS
pg_replication_origin_session_setup	text	void	fvS
pg_replication_origin_xact_reset		void	fvS
pg_replication_origin_xact_setup	pg_lsn,timestamptz	void	fvS
pg_replication_slot_advance	name,pg_lsn	record	fvS	slot_name:name,end_lsn:pg_lsn
pg_rotate_logfile		bool	fvS
pg_rotate_logfile_old		bool	fvS
pg_safe_snapshot_blocking_pids	int4	_int4	fvS
pg_sequence_last_value	regclass	int8	fvS
pg_sequence_parameters	oid	record	fsS	start_value:int8,minimum_value:int8,maximum_value:int8,increment:int8,cycle_option:bool,cache_size:int8,data_type:oid
pg_settings_get_flags	text	_text	fsS
pg_show_all_file_settings		record	fvSR	sourcefile:text,sourceline:int4,seqno:int4,name:text,setting:text,applied:bool,error:text
pg_show_all_settings		record	fsSR	name:text,setting:text,unit:text,category:text,short_desc:text,extra_desc:text,context:text,vartype:text,source:text,min_val:text,max_val:text,enumvals:_text,boot_val:text,reset_val:text,sourcefile:text,sourceline:int4,pending_restart:bool
pg_show_replication_origin_status		record	fvR	local_id:oid,external_id:text,remote_lsn:pg_lsn,local_lsn:pg_lsn
pg_size_bytes	text	int8	fiS
pg_size_pretty	int8	text	fiS
pg_size_pretty	numeric	text	fiS
pg_sleep	float8	void	fvS
pg_sleep_for	interval	void	fvS
pg_sleep_until	timestamptz	void	fvS
pg_snapshot_send	pg_snapshot	bytea	fiS
pg_snapshot_xip	pg_snapshot	xid8	fiSR
pg_snapshot_xmax	pg_snapshot	xid8	fiS
pg_snapshot_xmin	pg_snapshot	xid8	fiS
pg_stat_clear_snapshot		void	fv
pg_stat_file	text	record	fvS	size:int8,access:timestamptz,modification:timestamptz,change:timestamptz,creation:timestamptz,isdir:bool
pg_stat_file	text,bool	record	fvS	size:int8,access:timestamptz,modification:timestamptz,change:timestamptz,creation:timestamptz,isdir:bool
pg_stat_force_next_flush		void	fv
pg_stat_get_activity	int4	record	fsR	datid:oid,pid:int4,usesysid:oid,application_name:text,state:text,query:text,wait_event_type:text,wait_event:text,xact_start:timestamptz,query_start:timestamptz,backend_start:timestamptz,state_change:timestamptz,client_addr:inet,client_hostname:text,client_port:int4,backend_xid:xid,backend_xmin:xid,backend_type:text,ssl:bool,sslversion:text,sslcipher:text,sslbits:int4,ssl_client_dn:text,ssl_client_serial:numeric,ssl_issuer_dn:text,gss_auth:bool,gss_princ:text,gss_enc:bool,leader_pid:int4,query_id:int8
pg_stat_get_analyze_count	oid	int8	fsS
pg_stat_get_archiver		record	fs	archived_count:int8,last_archived_wal:text,last_archived_time:timestamptz,failed_count:int8,last_failed_wal:text,last_failed_time:timestamptz,stats_reset:timestamptz
pg_stat_get_autoanalyze_count	oid	int8	fsS
pg_stat_get_autovacuum_count	oid	int8	fsS
pg_stat_get_backend_activity	int4	text	fsS
pg_stat_get_backend_activity_start	int4	timestamptz	fsS
pg_stat_get_backend_client_addr	int4	inet	fsS
pg_stat_get_backend_client_port	int4	int4	fsS
pg_stat_get_backend_dbid	int4	oid	fsS
pg_stat_get_backend_idset		int4	fsSR
pg_stat_get_backend_pid	int4	int4	fsS
pg_stat_get_backend_start	int4	timestamptz	fsS
pg_stat_get_backend_userid	int4	oid	fsS
pg_stat_get_backend_wait_event	int4	text	fsS
pg_stat_get_backend_wait_event_type	int4	text	fsS
pg_stat_get_backend_xact_start	int4	timestamptz	fsS
pg_stat_get_bgwriter_buf_written_checkpoints		int8	fsS
pg_stat_get_bgwriter_buf_written_clean		int8	fsS
pg_stat_get_bgwriter_maxwritten_clean		int8	fsS
pg_stat_get_bgwriter_requested_checkpoints		int8	fsS
pg_stat_get_bgwriter_stat_reset_time		timestamptz	fsS
pg_stat_get_bgwriter_timed_checkpoints		int8	fsS
pg_stat_get_blocks_fetched	oid	int8	fsS
pg_stat_get_blocks_hit	oid	int8	fsS
pg_stat_get_buf_alloc		int8	fsS
pg_stat_get_buf_fsync_backend		int8	fsS
pg_stat_get_buf_written_backend		int8	fsS
pg_stat_get_checkpoint_sync_time		float8	fsS
pg_stat_get_checkpoint_write_time		float8	fsS
pg_stat_get_db_active_time	oid	float8	fsS
pg_stat_get_db_blk_read_time	oid	float8	fsS
pg_stat_get_db_blk_write_time	oid	float8	fsS
pg_stat_get_db_blocks_fetched	oid	int8	fsS
pg_stat_get_db_blocks_hit	oid	int8	fsS
pg_stat_get_db_checksum_failures	oid	int8	fsS
pg_stat_get_db_checksum_last_failure	oid	timestamptz	fsS
pg_stat_get_db_conflict_all	oid	int8	fsS
pg_stat_get_db_conflict_bufferpin	oid	int8	fsS
pg_stat_get_db_conflict_lock	oid	int8	fsS
pg_stat_get_db_conflict_snapshot	oid	int8	fsS
pg_stat_get_db_conflict_startup_deadlock	oid	int8	fsS
pg_stat_get_db_conflict_tablespace	oid	int8	fsS
pg_stat_get_db_deadlocks	oid	int8	fsS
pg_stat_get_db_idle_in_transaction_time	oid	float8	fsS
pg_stat_get_db_numbackends	oid	int4	fsS
pg_stat_get_db_session_time	oid	float8	fsS
pg_stat_get_db_sessions	oid	int8	fsS
pg_stat_get_db_sessions_abandoned	oid	int8	fsS
pg_stat_get_db_sessions_fatal	oid	int8	fsS
pg_stat_get_db_sessions_killed	oid	int8	fsS
pg_stat_get_db_stat_reset_time	oid	timestamptz	fsS
pg_stat_get_db_temp_bytes	oid	int8	fsS
pg_stat_get_db_temp_files	oid	int8	fsS
pg_stat_get_db_tuples_deleted	oid	int8	fsS
pg_stat_get_db_tuples_fetched	oid	int8	fsS
pg_stat_get_db_tuples_inserted	oid	int8	fsS
pg_stat_get_db_tuples_returned	oid	int8	fsS
pg_stat_get_db_tuples_updated	oid	int8	fsS
pg_stat_get_db_xact_commit	oid	int8	fsS
pg_stat_get_db_xact_rollback	oid	int8	fsS
pg_stat_get_dead_tuples	oid	int8	fsS
pg_stat_get_function_calls	oid	int8	fsS
pg_stat_get_function_self_time	oid	float8	fsS
pg_stat_get_function_total_time	oid	float8	fsS
pg_stat_get_ins_since_vacuum	oid	int8	fsS
pg_stat_get_last_analyze_time	oid	timestamptz	fsS
pg_stat_get_last_autoanalyze_time	oid	timestamptz	fsS
pg_stat_get_last_autovacuum_time	oid	timestamptz	fsS
pg_stat_get_last_vacuum_time	oid	timestamptz	fsS
pg_stat_get_live_tuples	oid	int8	fsS
pg_stat_get_mod_since_analyze	oid	int8	fsS
pg_stat_get_numscans	oid	int8	fsS
pg_stat_get_progress_info	text	record	fsSR	pid:int4,datid:oid,relid:oid,param1:int8,param2:int8,param3:int8,param4:int8,param5:int8,param6:int8,param7:int8,param8:int8,param9:int8,param10:int8,param11:int8,param12:int8,param13:int8,param14:int8,param15:int8,param16:int8,param17:int8,param18:int8,param19:int8,param20:int8
pg_stat_get_recovery_prefetch		record	fvSR	stats_reset:timestamptz,prefetch:int8,hit:int8,skip_init:int8,skip_new:int8,skip_fpw:int8,skip_rep:int8,wal_distance:int4,block_distance:int4,io_depth:int4
pg_stat_get_replication_slot	text	record	fsS	slot_name:text,spill_txns:int8,spill_count:int8,spill_bytes:int8,stream_txns:int8,stream_count:int8,stream_bytes:int8,total_txns:int8,total_bytes:int8,stats_reset:timestamptz
pg_stat_get_slru		record	fsR	name:text,blks_zeroed:int8,blks_hit:int8,blks_read:int8,blks_written:int8,blks_exists:int8,flushes:int8,truncates:int8,stats_reset:timestamptz
pg_stat_get_snapshot_timestamp		timestamptz	fsS
pg_stat_get_subscription	oid	record	fsR	subid:oid,relid:oid,pid:int4,received_lsn:pg_lsn,last_msg_send_time:timestamptz,last_msg_receipt_time:timestamptz,latest_end_lsn:pg_lsn,latest_end_time:timestamptz
pg_stat_get_subscription_stats	oid	record	fsS	subid:oid,apply_error_count:int8,sync_error_count:int8,stats_reset:timestamptz
pg_stat_get_tuples_deleted	oid	int8	fsS
pg_stat_get_tuples_fetched	oid	int8	fsS
pg_stat_get_tuples_hot_updated	oid	int8	fsS
pg_stat_get_tuples_inserted	oid	int8	fsS
pg_stat_get_tuples_returned	oid	int8	fsS
pg_stat_get_tuples_updated	oid	int8	fsS
pg_stat_get_vacuum_count	oid	int8	fsS
pg_stat_get_wal		record	fs	wal_records:int8,wal_fpi:int8,wal_bytes:numeric,wal_buffers_full:int8,wal_write:int8,wal_sync:int8,wal_write_time:float8,wal_sync_time:float8,stats_reset:timestamptz
pg_stat_get_wal_receiver		record	fs	pid:int4,status:text,receive_start_lsn:pg_lsn,receive_start_tli:int4,written_lsn:pg_lsn,flushed_lsn:pg_lsn,received_tli:int4,last_msg_send_time:timestamptz,last_msg_receipt_time:timestamptz,latest_end_lsn:pg_lsn,latest_end_time:timestamptz,slot_name:text,sender_host:text,sender_port:int4,conninfo:text
pg_stat_get_wal_senders		record	fsR	pid:int4,state:text,sent_lsn:pg_lsn,write_lsn:pg_lsn,flush_lsn:pg_lsn,replay_lsn:pg_lsn,write_lag:interval,flush_lag:interval,replay_lag:interval,sync_priority:int4,sync_state:text,reply_time:timestamptz
pg_stat_get_xact_blocks_fetched	oid	int8	fvS
pg_stat_get_xact_blocks_hit	oid	int8	fvS
pg_stat_get_xact_function_calls	oid	int8	fvS
pg_stat_get_xact_function_self_time	oid	float8	fvS
pg_stat_get_xact_function_total_time	oid	float8	fvS
pg_stat_get_xact_numscans	oid	int8	fvS
pg_stat_get_xact_tuples_deleted	oid	int8	fvS
pg_stat_get_xact_tuples_fetched	oid	int8	fvS
pg_stat_get_xact_tuples_hot_updated	oid	int8	fvS
pg_stat_get_xact_tuples_inserted	oid	int8	fvS
pg_stat_get_xact_tuples_returned	oid	int8	fvS
pg_stat_get_xact_tuples_updated	oid	int8	fvS
pg_stat_have_stats	text,oid,oid	bool	fvS
pg_stat_reset		void	fv
pg_stat_reset_replication_slot	text	void	fv
pg_stat_reset_shared	text	void	fvS
pg_stat_reset_single_function_counters	oid	void	fvS
pg_stat_reset_single_table_counters	oid	void	fvS
pg_stat_reset_slru	text	void	fv
pg_stat_reset_subscription_stats	oid	void	fv
pg_statistics_obj_is_visible	oid	bool	fsS
pg_stop_making_pinned_objects		void	fvS
pg_switch_wal		pg_lsn	fvS
pg_table_is_visible	oid	bool	fsS
pg_table_size	regclass	int8	fvS
pg_tablespace_databases	oid	oid	fsSR
pg_tablespace_location	oid	text	fsS
pg_tablespace_size	name	int8	fvS
pg_tablespace_size	oid	int8	fvS
pg_terminate_backend	int4,int8	bool	fvS1
pg_timezone_abbrevs		record	fsSR	abbrev:text,utc_offset:interval,is_dst:bool
pg_timezone_names		record	fsSR	name:text,abbrev:text,utc_offset:interval,is_dst:bool
pg_total_relation_size	regclass	int8	fvS
pg_trigger_depth		int4	fsS
pg_try_advisory_lock	int4,int4	bool	fvS
pg_try_advisory_lock	int8	bool	fvS
pg_try_advisory_lock_shared	int4,int4	bool	fvS
pg_try_advisory_lock_shared	int8	bool	fvS
pg_try_advisory_xact_lock	int4,int4	bool	fvS
pg_try_advisory_xact_lock	int8	bool	fvS
pg_try_advisory_xact_lock_shared	int4,int4	bool	fvS
pg_try_advisory_xact_lock_shared	int8	bool	fvS
pg_ts_config_is_visible	oid	bool	fsS
pg_ts_dict_is_visible	oid	bool	fsS
pg_ts_parser_is_visible	oid	bool	fsS
pg_ts_template_is_visible	oid	bool	fsS
pg_type_is_visible	oid	bool	fsS
pg_typeof	any	regtype	fs
pg_visible_in_snapshot	xid8,pg_snapshot	bool	fiS
pg_wal_lsn_diff	pg_lsn,pg_lsn	numeric	fiS
pg_wal_replay_pause		void	fvS
pg_wal_replay_resume		void	fvS
pg_walfile_name	pg_lsn	text	fiS
pg_walfile_name_offset	pg_lsn	record	fiS	file_name:text,file_offset:int4
pg_xact_commit_timestamp	xid	timestamptz	fvS
pg_xact_commit_timestamp_origin	xid	record	fvS	timestamp:timestamptz,roident:oid
pg_xact_status	xid8	text	fvS
phraseto_tsquery	regconfig,text	tsquery	fiS
phraseto_tsquery	text	tsquery	fsS
pi		float8	fiS
plainto_tsquery	regconfig,text	tsquery	fiS
plainto_tsquery	text	tsquery	fsS
point	box	point	fiS
point	circle	point	fiS
point	float8,float8	point	fiS
point	lseg	point	fiS
point	polygon	point	fiS
point_above	point,point	bool	fiS
point_add	point,point	point	fiS
point_below	point,point	bool	fiS
point_distance	point,point	float8	fiS
point_div	point,point	point	fiS
point_eq	point,point	bool	fiS
point_horiz	point,point	bool	fiS
point_left	point,point	bool	fiS
point_mul	point,point	point	fiS
point_ne	point,point	bool	fiS
point_right	point,point	bool	fiS
point_send	point	bytea	fiS
point_sub	point,point	point	fiS
point_vert	point,point	bool	fiS
poly_above	polygon,polygon	bool	fiS
poly_below	polygon,polygon	bool	fiS
poly_center	polygon	point	fiS
poly_contain	polygon,polygon	bool	fiS
poly_contain_pt	polygon,point	bool	fiS
poly_contained	polygon,polygon	bool	fiS
poly_distance	polygon,polygon	float8	fiS
poly_left	polygon,polygon	bool	fiS
poly_npoints	polygon	int4	fiS
poly_overabove	polygon,polygon	bool	fiS
poly_overbelow	polygon,polygon	bool	fiS
poly_overlap	polygon,polygon	bool	fiS
poly_overleft	polygon,polygon	bool	fiS
poly_overright	polygon,polygon	bool	fiS
poly_right	polygon,polygon	bool	fiS
poly_same	polygon,polygon	bool	fiS
poly_send	polygon	bytea	fiS
polygon	box	polygon	fiS
polygon	circle	polygon	fiS
polygon	int4,circle	polygon	fiS
polygon	path	polygon	fiS
popen	path	path	fiS
position	bit,bit	int4	fiS
position	bytea,bytea	int4	fiS
position	text,text	int4	fiS
postgresql_fdw_validator	_text,oid	bool	fiS
pow	float8,float8	float8	fiS
pow	numeric,numeric	numeric	fiS
power	float8,float8	float8	fiS
power	numeric,numeric	numeric	fiS
pt_contained_circle	point,circle	bool	fiS
pt_contained_poly	point,polygon	bool	fiS
query_to_xml	text,bool,bool,text	xml	fvS
query_to_xml_and_xmlschema	text,bool,bool,text	xml	fvS
query_to_xmlschema	text,bool,bool,text	xml	fvS
querytree	tsquery	text	fiS
quote_ident	text	text	fiS
quote_literal	anyelement	text	fsS
quote_literal	text	text	fiS
quote_nullable	anyelement	text	fs
quote_nullable	text	text	fi
radians	float8	float8	fiS
radius	circle	float8	fiS
random		float8	fvS
range_adjacent	anyrange,anyrange	bool	fiS
range_adjacent_multirange	anyrange,anymultirange	bool	fiS
range_after	anyrange,anyrange	bool	fiS
range_after_multirange	anyrange,anymultirange	bool	fiS
range_agg	anymultirange	anymultirange	ai
range_agg	anyrange	anymultirange	ai
range_before	anyrange,anyrange	bool	fiS
range_before_multirange	anyrange,anymultirange	bool	fiS
range_cmp	anyrange,anyrange	int4	fiS
range_contained_by	anyrange,anyrange	bool	fiS
range_contained_by_multirange	anyrange,anymultirange	bool	fiS
range_contains	anyrange,anyrange	bool	fiS
range_contains_elem	anyrange,anyelement	bool	fiS
range_contains_multirange	anyrange,anymultirange	bool	fiS
range_eq	anyrange,anyrange	bool	fiS
range_ge	anyrange,anyrange	bool	fiS
range_gt	anyrange,anyrange	bool	fiS
range_intersect	anyrange,anyrange	anyrange	fiS
range_intersect_agg	anymultirange	anymultirange	ai
range_intersect_agg	anyrange	anyrange	ai
range_intersect_agg_transfn	anyrange,anyrange	anyrange	fiS
range_le	anyrange,anyrange	bool	fiS
range_lt	anyrange,anyrange	bool	fiS
range_merge	anymultirange	anyrange	fiS
range_merge	anyrange,anyrange	anyrange	fiS
range_minus	anyrange,anyrange	anyrange	fiS
range_ne	anyrange,anyrange	bool	fiS
range_overlaps	anyrange,anyrange	bool	fiS
range_overlaps_multirange	anyrange,anymultirange	bool	fiS
range_overleft	anyrange,anyrange	bool	fiS
range_overleft_multirange	anyrange,anymultirange	bool	fiS
range_overright	anyrange,anyrange	bool	fiS
range_overright_multirange	anyrange,anymultirange	bool	fiS
range_send	anyrange	bytea	fsS
range_union	anyrange,anyrange	anyrange	fiS
rank		int8	wi
rank	any	int8	aiVO
record_eq	record,record	bool	fiS
record_ge	record,record	bool	fiS
record_gt	record,record	bool	fiS
record_image_eq	record,record	bool	fiS
record_image_ge	record,record	bool	fiS
record_image_gt	record,record	bool	fiS
record_image_le	record,record	bool	fiS
record_image_lt	record,record	bool	fiS
record_image_ne	record,record	bool	fiS
record_le	record,record	bool	fiS
record_lt	record,record	bool	fiS
record_ne	record,record	bool	fiS
record_send	record	bytea	fsS
regclass	text	regclass	fsS
regclasssend	regclass	bytea	fiS
regcollationsend	regcollation	bytea	fiS
regconfigsend	regconfig	bytea	fiS
regdictionarysend	regdictionary	bytea	fiS
regexp_count	text,text	int4	fiS
regexp_count	text,text,int4	int4	fiS
regexp_count	text,text,int4,text	int4	fiS
regexp_instr	text,text	int4	fiS
regexp_instr	text,text,int4	int4	fiS
regexp_instr	text,text,int4,int4	int4	fiS
regexp_instr	text,text,int4,int4,int4	int4	fiS
regexp_instr	text,text,int4,int4,int4,text	int4	fiS
regexp_instr	text,text,int4,int4,int4,text,int4	int4	fiS
regexp_like	text,text	bool	fiS
regexp_like	text,text,text	bool	fiS
regexp_match	text,text	_text	fiS
regexp_match	text,text,text	_text	fiS
regexp_matches	text,text	_text	fiSR
regexp_matches	text,text,text	_text	fiSR
regexp_replace	text,text,text	text	fiS
regexp_replace	text,text,text,int4	text	fiS
regexp_replace	text,text,text,int4,int4	text	fiS
regexp_replace	text,text,text,int4,int4,text	text	fiS
regexp_replace	text,text,text,text	text	fiS
regexp_split_to_array	text,text	_text	fiS
regexp_split_to_array	text,text,text	_text	fiS
regexp_split_to_table	text,text	text	fiSR
regexp_split_to_table	text,text,text	text	fiSR
regexp_substr	text,text	text	fiS
regexp_substr	text,text,int4	text	fiS
regexp_substr	text,text,int4,int4	text	fiS
regexp_substr	text,text,int4,int4,text	text	fiS
regexp_substr	text,text,int4,int4,text,int4	text	fiS
regnamespacesend	regnamespace	bytea	fiS
regoperatorsend	regoperator	bytea	fiS
regopersend	regoper	bytea	fiS
regproceduresend	regprocedure	bytea	fiS
regprocsend	regproc	bytea	fiS
regr_avgx	float8,float8	float8	ai
regr_avgy	float8,float8	float8	ai
regr_count	float8,float8	int8	ai
regr_intercept	float8,float8	float8	ai
regr_r2	float8,float8	float8	ai
regr_slope	float8,float8	float8	ai
regr_sxx	float8,float8	float8	ai
regr_sxy	float8,float8	float8	ai
regr_syy	float8,float8	float8	ai
regrolesend	regrole	bytea	fiS
regtypesend	regtype	bytea	fiS
repeat	text,int4	text	fiS
replace	text,text,text	text	fiS
reverse	text	text	fiS
right	text,int4	text	fiS
round	float8	float8	fiS
round	numeric	numeric	fiS
round	numeric,int4	numeric	fiS
row_number		int8	wi
row_security_active	oid	bool	fsS
row_security_active	text	bool	fsS
row_to_json	record	json	fsS
row_to_json	record,bool	json	fsS
rpad	text,int4	text	fiS
rpad	text,int4,text	text	fiS
rtrim	bytea,bytea	bytea	fiS
rtrim	text	text	fiS
rtrim	text,text	text	fiS
satisfies_hash_partition	oid,int4,int4,any	bool	fiV
scale	numeric	int4	fiS
schema_to_xml	name,bool,bool,text	xml	fsS
schema_to_xml_and_xmlschema	name,bool,bool,text	xml	fsS
schema_to_xmlschema	name,bool,bool,text	xml	fsS
session_user		name	fsS
set_bit	bit,int4,int4	bit	fiS
set_bit	bytea,int8,int4	bytea	fiS
set_byte	bytea,int4,int4	bytea	fiS
set_config	text,text,bool	text	fv
set_masklen	cidr,int4	cidr	fiS
set_masklen	inet,int4	inet	fiS
setseed	float8	void	fvS
setval	regclass,int8	int8	fvS
setval	regclass,int8,bool	int8	fvS
setweight	tsvector,char	tsvector	fiS
setweight	tsvector,char,_text	tsvector	fiS
sha224	bytea	bytea	fiS
sha256	bytea	bytea	fiS
sha384	bytea	bytea	fiS
sha512	bytea	bytea	fiS
shobj_description	oid,name	text	fsS
sign	float8	float8	fiS
sign	numeric	numeric	fiS
similar_escape	text,text	text	fi
similar_to_escape	text	text	fiS
similar_to_escape	text,text	text	fiS
sin	float8	float8	fiS
sind	float8	float8	fiS
sinh	float8	float8	fiS
slope	point,point	float8	fiS
spg_poly_quad_compress	polygon	box	fiS
split_part	text,text,int4	text	fiS
sqrt	float8	float8	fiS
sqrt	numeric	numeric	fiS
starts_with	text,text	bool	fiS
statement_timestamp		timestamptz	fsS
stddev	float4	float8	ai
stddev	float8	float8	ai
stddev	int2	numeric	ai
stddev	int4	numeric	ai
stddev	int8	numeric	ai
stddev	numeric	numeric	ai
stddev_pop	float4	float8	ai
stddev_pop	float8	float8	ai
stddev_pop	int2	numeric	ai
stddev_pop	int4	numeric	ai
stddev_pop	int8	numeric	ai
stddev_pop	numeric	numeric	ai
stddev_samp	float4	float8	ai
stddev_samp	float8	float8	ai
stddev_samp	int2	numeric	ai
stddev_samp	int4	numeric	ai
stddev_samp	int8	numeric	ai
stddev_samp	numeric	numeric	ai
string_agg	bytea,bytea	bytea	ai
string_agg	text,text	text	ai
string_to_array	text,text	_text	fi
string_to_array	text,text,text	_text	fi
string_to_table	text,text	text	fiR
string_to_table	text,text,text	text	fiR
strip	tsvector	tsvector	fiS
strpos	text,text	int4	fiS
substr	bytea,int4	bytea	fiS
substr	bytea,int4,int4	bytea	fiS
substr	text,int4	text	fiS
substr	text,int4,int4	text	fiS
substring	bit,int4	bit	fiS
substring	bit,int4,int4	bit	fiS
substring	bytea,int4	bytea	fiS
substring	bytea,int4,int4	bytea	fiS
substring	text,int4	text	fiS
substring	text,int4,int4	text	fiS
substring	text,text	text	fiS
substring	text,text,text	text	fiS
sum	float4	float4	ai
sum	float8	float8	ai
sum	int2	int8	ai
sum	int4	int8	ai
sum	int8	numeric	ai
sum	interval	interval	ai
sum	money	money	ai
sum	numeric	numeric	ai
table_to_xml	regclass,bool,bool,text	xml	fsS
table_to_xml_and_xmlschema	regclass,bool,bool,text	xml	fsS
table_to_xmlschema	regclass,bool,bool,text	xml	fsS
tan	float8	float8	fiS
tand	float8	float8	fiS
tanh	float8	float8	fiS
text	bool	text	fiS
text	bpchar	text	fiS
text	char	text	fiS
text	inet	text	fiS
text	name	text	fiS
text	xml	text	fiS
text_ge	text,text	bool	fiS
text_gt	text,text	bool	fiS
text_larger	text,text	text	fiS
text_le	text,text	bool	fiS
text_lt	text,text	bool	fiS
text_pattern_ge	text,text	bool	fiS
text_pattern_gt	text,text	bool	fiS
text_pattern_le	text,text	bool	fiS
text_pattern_lt	text,text	bool	fiS
text_smaller	text,text	text	fiS
textanycat	text,anynonarray	text	fsS
textcat	text,text	text	fiS
texteq	text,text	bool	fiS
texteqname	text,name	bool	fiS
textgename	text,name	bool	fiS
textgtname	text,name	bool	fiS
texticlike	text,text	bool	fiS
texticnlike	text,text	bool	fiS
texticregexeq	text,text	bool	fiS
texticregexne	text,text	bool	fiS
textlen	text	int4	fiS
textlename	text,name	bool	fiS
textlike	text,text	bool	fiS
textltname	text,name	bool	fiS
textne	text,text	bool	fiS
textnename	text,name	bool	fiS
textnlike	text,text	bool	fiS
textregexeq	text,text	bool	fiS
textregexne	text,text	bool	fiS
textsend	text	bytea	fsS
tideq	tid,tid	bool	fiS
tidge	tid,tid	bool	fiS
tidgt	tid,tid	bool	fiS
tidlarger	tid,tid	tid	fiS
tidle	tid,tid	bool	fiS
tidlt	tid,tid	bool	fiS
tidne	tid,tid	bool	fiS
tidsend	tid	bytea	fiS
tidsmaller	tid,tid	tid	fiS
time	interval	time	fiS
time	time,int4	time	fiS
time	timestamp	time	fiS
time	timestamptz	time	fsS
time	timetz	time	fiS
time_cmp	time,time	int4	fiS
time_eq	time,time	bool	fiS
time_ge	time,time	bool	fiS
time_gt	time,time	bool	fiS
time_hash	time	int4	fiS
time_hash_extended	time,int8	int8	fiS
time_larger	time,time	time	fiS
time_le	time,time	bool	fiS
time_lt	time,time	bool	fiS
time_mi_interval	time,interval	time	fiS
time_mi_time	time,time	interval	fiS
time_ne	time,time	bool	fiS
time_pl_interval	time,interval	time	fiS
time_send	time	bytea	fiS
time_smaller	time,time	time	fiS
timedate_pl	time,date	timestamp	fiS
timeofday		text	fvS
timestamp	date	timestamp	fiS
timestamp	date,time	timestamp	fiS
timestamp	timestamp,int4	timestamp	fiS
timestamp	timestamptz	timestamp	fsS
timestamp_cmp	timestamp,timestamp	int4	fiS
timestamp_cmp_date	timestamp,date	int4	fiS
timestamp_cmp_timestamptz	timestamp,timestamptz	int4	fsS
timestamp_eq	timestamp,timestamp	bool	fiS
timestamp_eq_date	timestamp,date	bool	fiS
timestamp_eq_timestamptz	timestamp,timestamptz	bool	fsS
timestamp_ge	timestamp,timestamp	bool	fiS
timestamp_ge_date	timestamp,date	bool	fiS
timestamp_ge_timestamptz	timestamp,timestamptz	bool	fsS
timestamp_gt	timestamp,timestamp	bool	fiS
timestamp_gt_date	timestamp,date	bool	fiS
timestamp_gt_timestamptz	timestamp,timestamptz	bool	fsS
timestamp_hash	timestamp	int4	fiS
timestamp_hash_extended	timestamp,int8	int8	fiS
timestamp_larger	timestamp,timestamp	timestamp	fiS
timestamp_le	timestamp,timestamp	bool	fiS
timestamp_le_date	timestamp,date	bool	fiS
timestamp_le_timestamptz	timestamp,timestamptz	bool	fsS
timestamp_lt	timestamp,timestamp	bool	fiS
timestamp_lt_date	timestamp,date	bool	fiS
timestamp_lt_timestamptz	timestamp,timestamptz	bool	fsS
timestamp_mi	timestamp,timestamp	interval	fiS
timestamp_mi_interval	timestamp,interval	timestamp	fiS
timestamp_ne	timestamp,timestamp	bool	fiS
timestamp_ne_date	timestamp,date	bool	fiS
timestamp_ne_timestamptz	timestamp,timestamptz	bool	fsS
timestamp_pl_interval	timestamp,interval	timestamp	fiS
timestamp_send	timestamp	bytea	fiS
timestamp_smaller	timestamp,timestamp	timestamp	fiS
timestamptypmodin	_cstring	int4	fiS
timestamptz	date	timestamptz	fsS
timestamptz	date,time	timestamptz	fsS
timestamptz	date,timetz	timestamptz	fiS
timestamptz	timestamp	timestamptz	fsS
timestamptz	timestamptz,int4	timestamptz	fiS
timestamptz_cmp	timestamptz,timestamptz	int4	fiS
timestamptz_cmp_date	timestamptz,date	int4	fsS
timestamptz_cmp_timestamp	timestamptz,timestamp	int4	fsS
timestamptz_eq	timestamptz,timestamptz	bool	fiS
timestamptz_eq_date	timestamptz,date	bool	fsS
timestamptz_eq_timestamp	timestamptz,timestamp	bool	fsS
timestamptz_ge	timestamptz,timestamptz	bool	fiS
timestamptz_ge_date	timestamptz,date	bool	fsS
timestamptz_ge_timestamp	timestamptz,timestamp	bool	fsS
timestamptz_gt	timestamptz,timestamptz	bool	fiS
timestamptz_gt_date	timestamptz,date	bool	fsS
timestamptz_gt_timestamp	timestamptz,timestamp	bool	fsS
timestamptz_larger	timestamptz,timestamptz	timestamptz	fiS
timestamptz_le	timestamptz,timestamptz	bool	fiS
timestamptz_le_date	timestamptz,date	bool	fsS
timestamptz_le_timestamp	timestamptz,timestamp	bool	fsS
timestamptz_lt	timestamptz,timestamptz	bool	fiS
timestamptz_lt_date	timestamptz,date	bool	fsS
timestamptz_lt_timestamp	timestamptz,timestamp	bool	fsS
timestamptz_mi	timestamptz,timestamptz	interval	fiS
timestamptz_mi_interval	timestamptz,interval	timestamptz	fsS
timestamptz_ne	timestamptz,timestamptz	bool	fiS
timestamptz_ne_date	timestamptz,date	bool	fsS
timestamptz_ne_timestamp	timestamptz,timestamp	bool	fsS
timestamptz_pl_interval	timestamptz,interval	timestamptz	fsS
timestamptz_send	timestamptz	bytea	fiS
timestamptz_smaller	timestamptz,timestamptz	timestamptz	fiS
timestamptztypmodin	_cstring	int4	fiS
timetypmodin	_cstring	int4	fiS
timetz	time	timetz	fsS
timetz	timestamptz	timetz	fsS
timetz	timetz,int4	timetz	fiS
timetz_cmp	timetz,timetz	int4	fiS
timetz_eq	timetz,timetz	bool	fiS
timetz_ge	timetz,timetz	bool	fiS
timetz_gt	timetz,timetz	bool	fiS
timetz_hash	timetz	int4	fiS
timetz_hash_extended	timetz,int8	int8	fiS
timetz_larger	timetz,timetz	timetz	fiS
timetz_le	timetz,timetz	bool	fiS
timetz_lt	timetz,timetz	bool	fiS
timetz_mi_interval	timetz,interval	timetz	fiS
timetz_ne	timetz,timetz	bool	fiS
timetz_pl_interval	timetz,interval	timetz	fiS
timetz_send	timetz	bytea	fiS
timetz_smaller	timetz,timetz	timetz	fiS
timetzdate_pl	timetz,date	timestamptz	fiS
timetztypmodin	_cstring	int4	fiS
timezone	interval,timestamp	timestamptz	fiS
timezone	interval,timestamptz	timestamp	fiS
timezone	interval,timetz	timetz	fiS
timezone	text,timestamp	timestamptz	fiS
timezone	text,timestamptz	timestamp	fiS
timezone	text,timetz	timetz	fsS
to_ascii	text	text	fiS
to_ascii	text,int4	text	fiS
to_ascii	text,name	text	fiS
to_char	float4,text	text	fsS
to_char	float8,text	text	fsS
to_char	int4,text	text	fsS
to_char	int8,text	text	fsS
to_char	interval,text	text	fsS
to_char	numeric,text	text	fsS
to_char	timestamp,text	text	fsS
to_char	timestamptz,text	text	fsS
to_date	text,text	date	fsS
to_hex	int4	text	fiS
to_hex	int8	text	fiS
to_json	anyelement	json	fsS
to_jsonb	anyelement	jsonb	fsS
to_number	text,text	numeric	fsS
to_regclass	text	regclass	fsS
to_regcollation	text	regcollation	fsS
to_regnamespace	text	regnamespace	fsS
to_regoper	text	regoper	fsS
to_regoperator	text	regoperator	fsS
to_regproc	text	regproc	fsS
to_regprocedure	text	regprocedure	fsS
to_regrole	text	regrole	fsS
to_regtype	text	regtype	fsS
to_timestamp	float8	timestamptz	fiS
to_timestamp	text,text	timestamptz	fsS
to_tsquery	regconfig,text	tsquery	fiS
to_tsquery	text	tsquery	fsS
to_tsvector	json	tsvector	fsS
to_tsvector	jsonb	tsvector	fsS
to_tsvector	regconfig,json	tsvector	fiS
to_tsvector	regconfig,jsonb	tsvector	fiS
to_tsvector	regconfig,text	tsvector	fiS
to_tsvector	text	tsvector	fsS
transaction_timestamp		timestamptz	fsS
translate	text,text,text	text	fiS
trim_array	anyarray,int4	anyarray	fiS
trim_scale	numeric	numeric	fiS
trunc	float8	float8	fiS
trunc	macaddr	macaddr	fiS
trunc	macaddr8	macaddr8	fiS
trunc	numeric	numeric	fiS
trunc	numeric,int4	numeric	fiS
ts_debug	regconfig,text	record	fsSR	alias:text,description:text,token:text,dictionaries:_regdictionary,dictionary:regdictionary,lexemes:_text
ts_debug	text	record	fsSR	alias:text,description:text,token:text,dictionaries:_regdictionary,dictionary:regdictionary,lexemes:_text
ts_delete	tsvector,_text	tsvector	fiS
ts_delete	tsvector,text	tsvector	fiS
ts_filter	tsvector,_char	tsvector	fiS
ts_headline	json,tsquery	json	fsS
ts_headline	json,tsquery,text	json	fsS
ts_headline	jsonb,tsquery	jsonb	fsS
ts_headline	jsonb,tsquery,text	jsonb	fsS
ts_headline	regconfig,json,tsquery	json	fiS
ts_headline	regconfig,json,tsquery,text	json	fiS
ts_headline	regconfig,jsonb,tsquery	jsonb	fiS
ts_headline	regconfig,jsonb,tsquery,text	jsonb	fiS
ts_headline	regconfig,text,tsquery	text	fiS
ts_headline	regconfig,text,tsquery,text	text	fiS
ts_headline	text,tsquery	text	fsS
ts_headline	text,tsquery,text	text	fsS
ts_lexize	regdictionary,text	_text	fiS
ts_match_qv	tsquery,tsvector	bool	fiS
ts_match_tq	text,tsquery	bool	fsS
ts_match_tt	text,text	bool	fsS
ts_match_vq	tsvector,tsquery	bool	fiS
ts_parse	oid,text	record	fiSR	tokid:int4,token:text
ts_parse	text,text	record	fsSR	tokid:int4,token:text
ts_rank	_float4,tsvector,tsquery	float4	fiS
ts_rank	_float4,tsvector,tsquery,int4	float4	fiS
ts_rank	tsvector,tsquery	float4	fiS
ts_rank	tsvector,tsquery,int4	float4	fiS
ts_rank_cd	_float4,tsvector,tsquery	float4	fiS
ts_rank_cd	_float4,tsvector,tsquery,int4	float4	fiS
ts_rank_cd	tsvector,tsquery	float4	fiS
ts_rank_cd	tsvector,tsquery,int4	float4	fiS
ts_rewrite	tsquery,text	tsquery	fvS
ts_rewrite	tsquery,tsquery,tsquery	tsquery	fiS
ts_stat	text	record	fvSR	word:text,ndoc:int4,nentry:int4
ts_stat	text,text	record	fvSR	word:text,ndoc:int4,nentry:int4
ts_token_type	oid	record	fiSR	tokid:int4,alias:text,description:text
ts_token_type	text	record	fsSR	tokid:int4,alias:text,description:text
tsmultirange		tsmultirange	fiS
tsmultirange	_tsrange	tsmultirange	fiSV
tsmultirange	tsrange	tsmultirange	fiS
tsq_mcontained	tsquery,tsquery	bool	fiS
tsq_mcontains	tsquery,tsquery	bool	fiS
tsquery_and	tsquery,tsquery	tsquery	fiS
tsquery_cmp	tsquery,tsquery	int4	fiS
tsquery_eq	tsquery,tsquery	bool	fiS
tsquery_ge	tsquery,tsquery	bool	fiS
tsquery_gt	tsquery,tsquery	bool	fiS
tsquery_le	tsquery,tsquery	bool	fiS
tsquery_lt	tsquery,tsquery	bool	fiS
tsquery_ne	tsquery,tsquery	bool	fiS
tsquery_not	tsquery	tsquery	fiS
tsquery_or	tsquery,tsquery	tsquery	fiS
tsquery_phrase	tsquery,tsquery	tsquery	fiS
tsquery_phrase	tsquery,tsquery,int4	tsquery	fiS
tsquerysend	tsquery	bytea	fiS
tsrange	timestamp,timestamp	tsrange	fi
tsrange	timestamp,timestamp,text	tsrange	fi
tsrange_subdiff	timestamp,timestamp	float8	fiS
tstzmultirange		tstzmultirange	fiS
tstzmultirange	_tstzrange	tstzmultirange	fiSV
tstzmultirange	tstzrange	tstzmultirange	fiS
tstzrange	timestamptz,timestamptz	tstzrange	fi
tstzrange	timestamptz,timestamptz,text	tstzrange	fi
tstzrange_subdiff	timestamptz,timestamptz	float8	fiS
tsvector_cmp	tsvector,tsvector	int4	fiS
tsvector_concat	tsvector,tsvector	tsvector	fiS
tsvector_eq	tsvector,tsvector	bool	fiS
tsvector_ge	tsvector,tsvector	bool	fiS
tsvector_gt	tsvector,tsvector	bool	fiS
tsvector_le	tsvector,tsvector	bool	fiS
tsvector_lt	tsvector,tsvector	bool	fiS
tsvector_ne	tsvector,tsvector	bool	fiS
tsvector_to_array	tsvector	_text	fiS
tsvectorsend	tsvector	bytea	fiS
txid_current		int8	fsS
txid_current_if_assigned		int8	fsS
txid_current_snapshot		txid_snapshot	fsS
txid_snapshot_send	txid_snapshot	bytea	fiS
txid_snapshot_xip	txid_snapshot	int8	fiSR
txid_snapshot_xmax	txid_snapshot	int8	fiS
txid_snapshot_xmin	txid_snapshot	int8	fiS
txid_status	int8	text	fvS
txid_visible_in_snapshot	int8,txid_snapshot	bool	fiS
unistr	text	text	fiS
unnest	anyarray	anyelement	fiSR
unnest	anymultirange	anyrange	fiSR
unnest	tsvector	record	fiSR	lexeme:text,positions:_int2,weights:_text
upper	anymultirange	anyelement	fiS
upper	anyrange	anyelement	fiS
upper	text	text	fiS
upper_inc	anymultirange	bool	fiS
upper_inc	anyrange	bool	fiS
upper_inf	anymultirange	bool	fiS
upper_inf	anyrange	bool	fiS
uuid_cmp	uuid,uuid	int4	fiS
uuid_eq	uuid,uuid	bool	fiS
uuid_ge	uuid,uuid	bool	fiS
uuid_gt	uuid,uuid	bool	fiS
uuid_hash	uuid	int4	fiS
uuid_hash_extended	uuid,int8	int8	fiS
uuid_le	uuid,uuid	bool	fiS
uuid_lt	uuid,uuid	bool	fiS
uuid_ne	uuid,uuid	bool	fiS
uuid_send	uuid	bytea	fiS
var_pop	float4	float8	ai
var_pop	float8	float8	ai
var_pop	int2	numeric	ai
var_pop	int4	numeric	ai
var_pop	int8	numeric	ai
var_pop	numeric	numeric	ai
var_samp	float4	float8	ai
var_samp	float8	float8	ai
var_samp	int2	numeric	ai
var_samp	int4	numeric	ai
var_samp	int8	numeric	ai
var_samp	numeric	numeric	ai
varbit	varbit,int4,bool	varbit	fiS
varbit_send	varbit	bytea	fiS
varbitcmp	varbit,varbit	int4	fiS
varbiteq	varbit,varbit	bool	fiS
varbitge	varbit,varbit	bool	fiS
varbitgt	varbit,varbit	bool	fiS
varbitle	varbit,varbit	bool	fiS
varbitlt	varbit,varbit	bool	fiS
varbitne	varbit,varbit	bool	fiS
varbittypmodin	_cstring	int4	fiS
varchar	name	varchar	fiS
varchar	varchar,int4,bool	varchar	fiS
varcharsend	varchar	bytea	fsS
varchartypmodin	_cstring	int4	fiS
variance	float4	float8	ai
variance	float8	float8	ai
variance	int2	numeric	ai
variance	int4	numeric	ai
variance	int8	numeric	ai
variance	numeric	numeric	ai
version		text	fsS
void_send	void	bytea	fiS
websearch_to_tsquery	regconfig,text	tsquery	fiS
websearch_to_tsquery	text	tsquery	fsS
width	box	float8	fiS
width_bucket	anycompatible,anycompatiblearray	int4	fiS
width_bucket	float8,float8,float8,int4	int4	fiS
width_bucket	numeric,numeric,numeric,int4	int4	fiS
xid	xid8	xid	fiS
xid8_larger	xid8,xid8	xid8	fiS
xid8_smaller	xid8,xid8	xid8	fiS
xid8cmp	xid8,xid8	int4	fiS
xid8eq	xid8,xid8	bool	fiS
xid8ge	xid8,xid8	bool	fiS
xid8gt	xid8,xid8	bool	fiS
xid8le	xid8,xid8	bool	fiS
xid8lt	xid8,xid8	bool	fiS
xid8ne	xid8,xid8	bool	fiS
xid8send	xid8	bytea	fiS
xideq	xid,xid	bool	fiS
xideqint4	xid,int4	bool	fiS
xidneq	xid,xid	bool	fiS
xidneqint4	xid,int4	bool	fiS
xidsend	xid	bytea	fiS
xml	text	xml	fsS
xml_is_well_formed	text	bool	fsS
xml_is_well_formed_content	text	bool	fiS
xml_is_well_formed_document	text	bool	fiS
xml_send	xml	bytea	fsS
xmlagg	xml	xml	ai
xmlcomment	text	xml	fiS
xmlconcat2	xml,xml	xml	fi
xmlexists	text,xml	bool	fiS
xmlvalidate	xml,text	bool	fiS
xpath	text,xml	_xml	fiS
xpath	text,xml,_text	_xml	fiS
xpath_exists	text,xml	bool	fiS
xpath_exists	text,xml,_text	bool	fiS
`,
		"operators": `
!!		tsquery	tsquery	tsquery_not
!~	bpchar	text	bool	bpcharregexne
!~	name	text	bool	nameregexne
!~	text	text	bool	textregexne
!~*	bpchar	text	bool	bpcharicregexne
!~*	name	text	bool	nameicregexne
!~*	text	text	bool	texticregexne
!~~	bpchar	text	bool	bpcharnlike
!~~	bytea	bytea	bool	byteanlike
!~~	name	text	bool	namenlike
!~~	text	text	bool	textnlike
!~~*	bpchar	text	bool	bpcharicnlike
!~~*	name	text	bool	nameicnlike
!~~*	text	text	bool	texticnlike
#		path	int4	path_npoints
#		polygon	int4	poly_npoints
#	bit	bit	bit	bitxor	s
#	box	box	box	box_intersect
#	int2	int2	int2	int2xor	s
#	int4	int4	int4	int4xor	s
#	int8	int8	int8	int8xor	s
#	line	line	point	line_interpt	s
#	lseg	lseg	point	lseg_interpt	s
##	line	lseg	point	close_ls
##	lseg	box	point	close_sb
##	lseg	lseg	point	close_lseg
##	point	box	point	close_pb
##	point	line	point	close_pl
##	point	lseg	point	close_ps
#-	jsonb	_text	jsonb	jsonb_delete_path
#>	json	_text	json	json_extract_path
#>	jsonb	_text	jsonb	jsonb_extract_path
#>>	json	_text	text	json_extract_path_text
#>>	jsonb	_text	text	jsonb_extract_path_text
%	int2	int2	int2	int2mod
%	int4	int4	int4	int4mod
%	int8	int8	int8	int8mod
%	numeric	numeric	numeric	numeric_mod
&	bit	bit	bit	bitand	s
&	inet	inet	inet	inetand
&	int2	int2	int2	int2and	s
&	int4	int4	int4	int4and	s
&	int8	int8	int8	int8and	s
&	macaddr	macaddr	macaddr	macaddr_and
&	macaddr8	macaddr8	macaddr8	macaddr8_and
&&	anyarray	anyarray	bool	arrayoverlap	s
&&	anymultirange	anymultirange	bool	multirange_overlaps_multirange	s
&&	anymultirange	anyrange	bool	multirange_overlaps_range
&&	anyrange	anymultirange	bool	range_overlaps_multirange
&&	anyrange	anyrange	bool	range_overlaps	s
&&	box	box	bool	box_overlap	s
&&	circle	circle	bool	circle_overlap	s
&&	inet	inet	bool	network_overlap	s
&&	polygon	polygon	bool	poly_overlap	s
&&	tsquery	tsquery	tsquery	tsquery_and
&<	anymultirange	anymultirange	bool	multirange_overleft_multirange
&<	anymultirange	anyrange	bool	multirange_overleft_range
&<	anyrange	anymultirange	bool	range_overleft_multirange
&<	anyrange	anyrange	bool	range_overleft
&<	box	box	bool	box_overleft
&<	circle	circle	bool	circle_overleft
&<	polygon	polygon	bool	poly_overleft
&<|	box	box	bool	box_overbelow
&<|	circle	circle	bool	circle_overbelow
&<|	polygon	polygon	bool	poly_overbelow
&>	anymultirange	anymultirange	bool	multirange_overright_multirange
&>	anymultirange	anyrange	bool	multirange_overright_range
&>	anyrange	anymultirange	bool	range_overright_multirange
&>	anyrange	anyrange	bool	range_overright
&>	box	box	bool	box_overright
&>	circle	circle	bool	circle_overright
&>	polygon	polygon	bool	poly_overright
*	anymultirange	anymultirange	anymultirange	multirange_intersect	s
*	anyrange	anyrange	anyrange	range_intersect	s
*	box	point	box	box_mul
*	circle	point	circle	circle_mul_pt
*	float4	float4	float4	float4mul	s
*	float4	float8	float8	float48mul
*	float4	money	money	flt4_mul_cash
*	float8	float4	float8	float84mul
*	float8	float8	float8	float8mul	s
*	float8	interval	interval	mul_d_interval
*	float8	money	money	flt8_mul_cash
*	int2	int2	int2	int2mul	s
*	int2	int4	int4	int24mul
*	int2	int8	int8	int28mul
*	int2	money	money	int2_mul_cash
*	int4	int2	int4	int42mul
*	int4	int4	int4	int4mul	s
*	int4	int8	int8	int48mul
*	int4	money	money	int4_mul_cash
*	int8	int2	int8	int82mul
*	int8	int4	int8	int84mul
*	int8	int8	int8	int8mul	s
*	int8	money	money	int8_mul_cash
*	interval	float8	interval	interval_mul
*	money	float4	money	cash_mul_flt4
*	money	float8	money	cash_mul_flt8
*	money	int2	money	cash_mul_int2
*	money	int4	money	cash_mul_int4
*	money	int8	money	cash_mul_int8
*	numeric	numeric	numeric	numeric_mul	s
*	path	point	path	path_mul_pt
*	point	point	point	point_mul	s
*<	record	record	bool	record_image_lt
*<=	record	record	bool	record_image_le
*<>	record	record	bool	record_image_ne	s
*=	record	record	bool	record_image_eq	s
*>	record	record	bool	record_image_gt
*>=	record	record	bool	record_image_ge
+		float4	float4	float4up
+		float8	float8	float8up
+		int2	int2	int2up
+		int4	int4	int4up
+		int8	int8	int8up
+		numeric	numeric	numeric_uplus
+	_aclitem	aclitem	_aclitem	aclinsert
+	anymultirange	anymultirange	anymultirange	multirange_union	s
+	anyrange	anyrange	anyrange	range_union	s
+	box	point	box	box_add
+	circle	point	circle	circle_add_pt
+	date	int4	date	date_pli
+	date	interval	timestamp	date_pl_interval
+	date	time	timestamp	datetime_pl
+	date	timetz	timestamptz	datetimetz_pl
+	float4	float4	float4	float4pl	s
+	float4	float8	float8	float48pl
+	float8	float4	float8	float84pl
+	float8	float8	float8	float8pl	s
+	inet	int8	inet	inetpl
+	int2	int2	int2	int2pl	s
+	int2	int4	int4	int24pl
+	int2	int8	int8	int28pl
+	int4	date	date	integer_pl_date
+	int4	int2	int4	int42pl
+	int4	int4	int4	int4pl	s
+	int4	int8	int8	int48pl
+	int8	inet	inet	int8pl_inet
+	int8	int2	int8	int82pl
+	int8	int4	int8	int84pl
+	int8	int8	int8	int8pl	s
+	interval	date	timestamp	interval_pl_date
+	interval	interval	interval	interval_pl	s
+	interval	time	time	interval_pl_time
+	interval	timestamp	timestamp	interval_pl_timestamp
+	interval	timestamptz	timestamptz	interval_pl_timestamptz
+	interval	timetz	timetz	interval_pl_timetz
+	money	money	money	cash_pl	s
+	numeric	numeric	numeric	numeric_add	s
+	path	path	path	path_add	s
+	path	point	path	path_add_pt
+	pg_lsn	numeric	pg_lsn	pg_lsn_pli
+	point	point	point	point_add	s
+	time	date	timestamp	timedate_pl
+	time	interval	time	time_pl_interval
+	timestamp	interval	timestamp	timestamp_pl_interval
+	timestamptz	interval	timestamptz	timestamptz_pl_interval
+	timetz	date	timestamptz	timetzdate_pl
+	timetz	interval	timetz	timetz_pl_interval
-		float4	float4	float4um
-		float8	float8	float8um
-		int2	int2	int2um
-		int4	int4	int4um
-		int8	int8	int8um
-		interval	interval	interval_um
-		numeric	numeric	numeric_uminus
-	_aclitem	aclitem	_aclitem	aclremove
-	anymultirange	anymultirange	anymultirange	multirange_minus
-	anyrange	anyrange	anyrange	range_minus
-	box	point	box	box_sub
-	circle	point	circle	circle_sub_pt
-	date	date	int4	date_mi
-	date	int4	date	date_mii
-	date	interval	timestamp	date_mi_interval
-	float4	float4	float4	float4mi
-	float4	float8	float8	float48mi
-	float8	float4	float8	float84mi
-	float8	float8	float8	float8mi
-	inet	inet	int8	inetmi
-	inet	int8	inet	inetmi_int8
-	int2	int2	int2	int2mi
-	int2	int4	int4	int24mi
-	int2	int8	int8	int28mi
-	int4	int2	int4	int42mi
-	int4	int4	int4	int4mi
-	int4	int8	int8	int48mi
-	int8	int2	int8	int82mi
-	int8	int4	int8	int84mi
-	int8	int8	int8	int8mi
-	interval	interval	interval	interval_mi
-	jsonb	_text	jsonb	jsonb_delete
-	jsonb	int4	jsonb	jsonb_delete
-	jsonb	text	jsonb	jsonb_delete
-	money	money	money	cash_mi
-	numeric	numeric	numeric	numeric_sub
-	path	point	path	path_sub_pt
-	pg_lsn	numeric	pg_lsn	pg_lsn_mii
-	point	point	point	point_sub
-	time	interval	time	time_mi_interval
-	time	time	interval	time_mi_time
-	timestamp	interval	timestamp	timestamp_mi_interval
-	timestamp	timestamp	interval	timestamp_mi
-	timestamptz	interval	timestamptz	timestamptz_mi_interval
-	timestamptz	timestamptz	interval	timestamptz_mi
-	timetz	interval	timetz	timetz_mi_interval
->	json	int4	json	json_array_element
->	json	text	json	json_object_field
->	jsonb	int4	jsonb	jsonb_array_element
->	jsonb	text	jsonb	jsonb_object_field
->>	json	int4	text	json_array_element_text
->>	json	text	text	json_object_field_text
->>	jsonb	int4	text	jsonb_array_element_text
->>	jsonb	text	text	jsonb_object_field_text
-|-	anymultirange	anymultirange	bool	multirange_adjacent_multirange	s
-|-	anymultirange	anyrange	bool	multirange_adjacent_range
-|-	anyrange	anymultirange	bool	range_adjacent_multirange
-|-	anyrange	anyrange	bool	range_adjacent	s
/	box	point	box	box_div
/	circle	point	circle	circle_div_pt
/	float4	float4	float4	float4div
/	float4	float8	float8	float48div
/	float8	float4	float8	float84div
/	float8	float8	float8	float8div
/	int2	int2	int2	int2div
/	int2	int4	int4	int24div
/	int2	int8	int8	int28div
/	int4	int2	int4	int42div
/	int4	int4	int4	int4div
/	int4	int8	int8	int48div
/	int8	int2	int8	int82div
/	int8	int4	int8	int84div
/	int8	int8	int8	int8div
/	interval	float8	interval	interval_div
/	money	float4	money	cash_div_flt4
/	money	float8	money	cash_div_flt8
/	money	int2	money	cash_div_int2
/	money	int4	money	cash_div_int4
/	money	int8	money	cash_div_int8
/	money	money	float8	cash_div_cash
/	numeric	numeric	numeric	numeric_div
/	path	point	path	path_div_pt
/	point	point	point	point_div
<	anyarray	anyarray	bool	array_lt
<	anyenum	anyenum	bool	enum_lt
<	anymultirange	anymultirange	bool	multirange_lt
<	anyrange	anyrange	bool	range_lt
<	bit	bit	bool	bitlt
<	bool	bool	bool	boollt
<	box	box	bool	box_lt
<	bpchar	bpchar	bool	bpcharlt
<	bytea	bytea	bool	bytealt
<	char	char	bool	charlt
<	circle	circle	bool	circle_lt
<	date	date	bool	date_lt
<	date	timestamp	bool	date_lt_timestamp
<	date	timestamptz	bool	date_lt_timestamptz
<	float4	float4	bool	float4lt
<	float4	float8	bool	float48lt
<	float8	float4	bool	float84lt
<	float8	float8	bool	float8lt
<	inet	inet	bool	network_lt
<	int2	int2	bool	int2lt
<	int2	int4	bool	int24lt
<	int2	int8	bool	int28lt
<	int4	int2	bool	int42lt
<	int4	int4	bool	int4lt
<	int4	int8	bool	int48lt
<	int8	int2	bool	int82lt
<	int8	int4	bool	int84lt
<	int8	int8	bool	int8lt
<	interval	interval	bool	interval_lt
<	jsonb	jsonb	bool	jsonb_lt
<	lseg	lseg	bool	lseg_lt
<	macaddr	macaddr	bool	macaddr_lt
<	macaddr8	macaddr8	bool	macaddr8_lt
<	money	money	bool	cash_lt
<	name	name	bool	namelt
<	name	text	bool	namelttext
<	numeric	numeric	bool	numeric_lt
<	oid	oid	bool	oidlt
<	oidvector	oidvector	bool	oidvectorlt
<	path	path	bool	path_n_lt
<	record	record	bool	record_lt
<	text	name	bool	textltname
<	text	text	bool	text_lt
<	tid	tid	bool	tidlt
<	time	time	bool	time_lt
<	timestamp	date	bool	timestamp_lt_date
<	timestamp	timestamp	bool	timestamp_lt
<	timestamp	timestamptz	bool	timestamp_lt_timestamptz
<	timestamptz	date	bool	timestamptz_lt_date
<	timestamptz	timestamp	bool	timestamptz_lt_timestamp
<	timestamptz	timestamptz	bool	timestamptz_lt
<	timetz	timetz	bool	timetz_lt
<	tsquery	tsquery	bool	tsquery_lt
<	tsvector	tsvector	bool	tsvector_lt
<	uuid	uuid	bool	uuid_lt
<	varbit	varbit	bool	varbitlt
<	xid8	xid8	bool	xid8lt
<->	box	box	float8	box_distance	s
<->	box	lseg	float8	dist_bs
<->	box	point	float8	dist_bp
<->	circle	circle	float8	circle_distance	s
<->	circle	point	float8	dist_cpoint
<->	circle	polygon	float8	dist_cpoly
<->	line	line	float8	line_distance	s
<->	line	lseg	float8	dist_ls
<->	line	point	float8	dist_lp
<->	lseg	box	float8	dist_sb
<->	lseg	line	float8	dist_sl
<->	lseg	lseg	float8	lseg_distance	s
<->	lseg	point	float8	dist_sp
<->	path	path	float8	path_distance	s
<->	path	point	float8	dist_pathp
<->	point	box	float8	dist_pb
<->	point	circle	float8	dist_pc
<->	point	line	float8	dist_pl
<->	point	lseg	float8	dist_ps
<->	point	path	float8	dist_ppath
<->	point	point	float8	point_distance	s
<->	point	polygon	float8	dist_ppoly
<->	polygon	circle	float8	dist_polyc
<->	polygon	point	float8	dist_polyp
<->	polygon	polygon	float8	poly_distance	s
<->	tsquery	tsquery	tsquery	tsquery_phrase
<<	anymultirange	anymultirange	bool	multirange_before_multirange
<<	anymultirange	anyrange	bool	multirange_before_range
<<	anyrange	anymultirange	bool	range_before_multirange
<<	anyrange	anyrange	bool	range_before
<<	bit	int4	bit	bitshiftleft
<<	box	box	bool	box_left
<<	circle	circle	bool	circle_left
<<	inet	inet	bool	network_sub
<<	int2	int4	int2	int2shl
<<	int4	int4	int4	int4shl
<<	int8	int4	int8	int8shl
<<	point	point	bool	point_left
<<	polygon	polygon	bool	poly_left
<<=	inet	inet	bool	network_subeq
<<|	box	box	bool	box_below
<<|	circle	circle	bool	circle_below
<<|	point	point	bool	point_below
<<|	polygon	polygon	bool	poly_below
<=	anyarray	anyarray	bool	array_le
<=	anyenum	anyenum	bool	enum_le
<=	anymultirange	anymultirange	bool	multirange_le
<=	anyrange	anyrange	bool	range_le
<=	bit	bit	bool	bitle
<=	bool	bool	bool	boolle
<=	box	box	bool	box_le
<=	bpchar	bpchar	bool	bpcharle
<=	bytea	bytea	bool	byteale
<=	char	char	bool	charle
<=	circle	circle	bool	circle_le
<=	date	date	bool	date_le
<=	date	timestamp	bool	date_le_timestamp
<=	date	timestamptz	bool	date_le_timestamptz
<=	float4	float4	bool	float4le
<=	float4	float8	bool	float48le
<=	float8	float4	bool	float84le
<=	float8	float8	bool	float8le
<=	inet	inet	bool	network_le
<=	int2	int2	bool	int2le
<=	int2	int4	bool	int24le
<=	int2	int8	bool	int28le
<=	int4	int2	bool	int42le
<=	int4	int4	bool	int4le
<=	int4	int8	bool	int48le
<=	int8	int2	bool	int82le
<=	int8	int4	bool	int84le
<=	int8	int8	bool	int8le
<=	interval	interval	bool	interval_le
<=	jsonb	jsonb	bool	jsonb_le
<=	lseg	lseg	bool	lseg_le
<=	macaddr	macaddr	bool	macaddr_le
<=	macaddr8	macaddr8	bool	macaddr8_le
<=	money	money	bool	cash_le
<=	name	name	bool	namele
<=	name	text	bool	nameletext
<=	numeric	numeric	bool	numeric_le
<=	oid	oid	bool	oidle
<=	oidvector	oidvector	bool	oidvectorle
<=	path	path	bool	path_n_le
<=	record	record	bool	record_le
<=	text	name	bool	textlename
<=	text	text	bool	text_le
<=	tid	tid	bool	tidle
<=	time	time	bool	time_le
<=	timestamp	date	bool	timestamp_le_date
<=	timestamp	timestamp	bool	timestamp_le
<=	timestamp	timestamptz	bool	timestamp_le_timestamptz
<=	timestamptz	date	bool	timestamptz_le_date
<=	timestamptz	timestamp	bool	timestamptz_le_timestamp
<=	timestamptz	timestamptz	bool	timestamptz_le
<=	timetz	timetz	bool	timetz_le
<=	tsquery	tsquery	bool	tsquery_le
<=	tsvector	tsvector	bool	tsvector_le
<=	uuid	uuid	bool	uuid_le
<=	varbit	varbit	bool	varbitle
<=	xid8	xid8	bool	xid8le
<>	anyarray	anyarray	bool	array_ne	s
<>	anyenum	anyenum	bool	enum_ne	s
<>	anymultirange	anymultirange	bool	multirange_ne	s
<>	anyrange	anyrange	bool	range_ne	s
<>	bit	bit	bool	bitne	s
<>	bool	bool	bool	boolne	s
<>	bpchar	bpchar	bool	bpcharne	s
<>	bytea	bytea	bool	byteane	s
<>	char	char	bool	charne	s
<>	circle	circle	bool	circle_ne	s
<>	date	date	bool	date_ne	s
<>	date	timestamp	bool	date_ne_timestamp
<>	date	timestamptz	bool	date_ne_timestamptz
<>	float4	float4	bool	float4ne	s
<>	float4	float8	bool	float48ne
<>	float8	float4	bool	float84ne
<>	float8	float8	bool	float8ne	s
<>	inet	inet	bool	network_ne	s
<>	int2	int2	bool	int2ne	s
<>	int2	int4	bool	int24ne
<>	int2	int8	bool	int28ne
<>	int4	int2	bool	int42ne
<>	int4	int4	bool	int4ne	s
<>	int4	int8	bool	int48ne
<>	int8	int2	bool	int82ne
<>	int8	int4	bool	int84ne
<>	int8	int8	bool	int8ne	s
<>	interval	interval	bool	interval_ne	s
<>	jsonb	jsonb	bool	jsonb_ne	s
<>	lseg	lseg	bool	lseg_ne	s
<>	macaddr	macaddr	bool	macaddr_ne	s
<>	macaddr8	macaddr8	bool	macaddr8_ne	s
<>	money	money	bool	cash_ne	s
<>	name	name	bool	namene	s
<>	name	text	bool	namenetext
<>	numeric	numeric	bool	numeric_ne	s
<>	oid	oid	bool	oidne	s
<>	oidvector	oidvector	bool	oidvectorne	s
<>	point	point	bool	point_ne	s
<>	record	record	bool	record_ne	s
<>	text	name	bool	textnename
<>	text	text	bool	textne	s
<>	tid	tid	bool	tidne	s
<>	time	time	bool	time_ne	s
<>	timestamp	date	bool	timestamp_ne_date
<>	timestamp	timestamp	bool	timestamp_ne	s
<>	timestamp	timestamptz	bool	timestamp_ne_timestamptz
<>	timestamptz	date	bool	timestamptz_ne_date
<>	timestamptz	timestamp	bool	timestamptz_ne_timestamp
<>	timestamptz	timestamptz	bool	timestamptz_ne	s
<>	timetz	timetz	bool	timetz_ne	s
<>	tsquery	tsquery	bool	tsquery_ne	s
<>	tsvector	tsvector	bool	tsvector_ne	s
<>	uuid	uuid	bool	uuid_ne	s
<>	varbit	varbit	bool	varbitne	s
<>	xid	int4	bool	xidneqint4
<>	xid	xid	bool	xidneq	s
<>	xid8	xid8	bool	xid8ne	s
<@	anyarray	anyarray	bool	arraycontained
<@	anyelement	anymultirange	bool	elem_contained_by_multirange
<@	anyelement	anyrange	bool	elem_contained_by_range
<@	anymultirange	anymultirange	bool	multirange_contained_by_multirange
<@	anymultirange	anyrange	bool	multirange_contained_by_range
<@	anyrange	anymultirange	bool	range_contained_by_multirange
<@	anyrange	anyrange	bool	range_contained_by
<@	box	box	bool	box_contained
<@	circle	circle	bool	circle_contained
<@	jsonb	jsonb	bool	jsonb_contained
<@	lseg	box	bool	on_sb
<@	lseg	line	bool	on_sl
<@	point	box	bool	on_pb
<@	point	circle	bool	pt_contained_circle
<@	point	line	bool	on_pl
<@	point	lseg	bool	on_ps
<@	point	path	bool	on_ppath
<@	point	polygon	bool	pt_contained_poly
<@	polygon	polygon	bool	poly_contained
<@	tsquery	tsquery	bool	tsq_mcontained
<^	box	box	bool	box_below_eq
<^	point	point	bool	point_below
=	aclitem	aclitem	bool	aclitemeq	s
=	anyarray	anyarray	bool	array_eq	s
=	anyenum	anyenum	bool	enum_eq	s
=	anymultirange	anymultirange	bool	multirange_eq	s
=	anyrange	anyrange	bool	range_eq	s
=	bit	bit	bool	biteq	s
=	bool	bool	bool	booleq	s
=	box	box	bool	box_eq	s
=	bpchar	bpchar	bool	bpchareq	s
=	bytea	bytea	bool	byteaeq	s
=	char	char	bool	chareq	s
=	cid	cid	bool	cideq	s
=	circle	circle	bool	circle_eq	s
=	date	date	bool	date_eq	s
=	date	timestamp	bool	date_eq_timestamp
=	date	timestamptz	bool	date_eq_timestamptz
=	float4	float4	bool	float4eq	s
=	float4	float8	bool	float48eq
=	float8	float4	bool	float84eq
=	float8	float8	bool	float8eq	s
=	inet	inet	bool	network_eq	s
=	int2	int2	bool	int2eq	s
=	int2	int4	bool	int24eq
=	int2	int8	bool	int28eq
=	int4	int2	bool	int42eq
=	int4	int4	bool	int4eq	s
=	int4	int8	bool	int48eq
=	int8	int2	bool	int82eq
=	int8	int4	bool	int84eq
=	int8	int8	bool	int8eq	s
=	interval	interval	bool	interval_eq	s
=	jsonb	jsonb	bool	jsonb_eq	s
=	line	line	bool	line_eq	s
=	lseg	lseg	bool	lseg_eq	s
=	macaddr	macaddr	bool	macaddr_eq	s
=	macaddr8	macaddr8	bool	macaddr8_eq	s
=	money	money	bool	cash_eq	s
=	name	name	bool	nameeq	s
=	name	text	bool	nameeqtext
=	numeric	numeric	bool	numeric_eq	s
=	oid	oid	bool	oideq	s
=	oidvector	oidvector	bool	oidvectoreq	s
=	path	path	bool	path_n_eq	s
=	record	record	bool	record_eq	s
=	text	name	bool	texteqname
=	text	text	bool	texteq	s
=	tid	tid	bool	tideq	s
=	time	time	bool	time_eq	s
=	timestamp	date	bool	timestamp_eq_date
=	timestamp	timestamp	bool	timestamp_eq	s
=	timestamp	timestamptz	bool	timestamp_eq_timestamptz
=	timestamptz	date	bool	timestamptz_eq_date
=	timestamptz	timestamp	bool	timestamptz_eq_timestamp
=	timestamptz	timestamptz	bool	timestamptz_eq	s
=	timetz	timetz	bool	timetz_eq	s
=	tsquery	tsquery	bool	tsquery_eq	s
=	tsvector	tsvector	bool	tsvector_eq	s
=	uuid	uuid	bool	uuid_eq	s
=	varbit	varbit	bool	varbiteq	s
=	xid	int4	bool	xideqint4
=	xid	xid	bool	xideq	s
=	xid8	xid8	bool	xid8eq	s
>	anyarray	anyarray	bool	array_gt
>	anyenum	anyenum	bool	enum_gt
>	anymultirange	anymultirange	bool	multirange_gt
>	anyrange	anyrange	bool	range_gt
>	bit	bit	bool	bitgt
>	bool	bool	bool	boolgt
>	box	box	bool	box_gt
>	bpchar	bpchar	bool	bpchargt
>	bytea	bytea	bool	byteagt
>	char	char	bool	chargt
>	circle	circle	bool	circle_gt
>	date	date	bool	date_gt
>	date	timestamp	bool	date_gt_timestamp
>	date	timestamptz	bool	date_gt_timestamptz
>	float4	float4	bool	float4gt
>	float4	float8	bool	float48gt
>	float8	float4	bool	float84gt
>	float8	float8	bool	float8gt
>	inet	inet	bool	network_gt
>	int2	int2	bool	int2gt
>	int2	int4	bool	int24gt
>	int2	int8	bool	int28gt
>	int4	int2	bool	int42gt
>	int4	int4	bool	int4gt
>	int4	int8	bool	int48gt
>	int8	int2	bool	int82gt
>	int8	int4	bool	int84gt
>	int8	int8	bool	int8gt
>	interval	interval	bool	interval_gt
>	jsonb	jsonb	bool	jsonb_gt
>	lseg	lseg	bool	lseg_gt
>	macaddr	macaddr	bool	macaddr_gt
>	macaddr8	macaddr8	bool	macaddr8_gt
>	money	money	bool	cash_gt
>	name	name	bool	namegt
>	name	text	bool	namegttext
>	numeric	numeric	bool	numeric_gt
>	oid	oid	bool	oidgt
>	oidvector	oidvector	bool	oidvectorgt
>	path	path	bool	path_n_gt
>	record	record	bool	record_gt
>	text	name	bool	textgtname
>	text	text	bool	text_gt
>	tid	tid	bool	tidgt
>	time	time	bool	time_gt
>	timestamp	date	bool	timestamp_gt_date
>	timestamp	timestamp	bool	timestamp_gt
>	timestamp	timestamptz	bool	timestamp_gt_timestamptz
>	timestamptz	date	bool	timestamptz_gt_date
>	timestamptz	timestamp	bool	timestamptz_gt_timestamp
>	timestamptz	timestamptz	bool	timestamptz_gt
>	timetz	timetz	bool	timetz_gt
>	tsquery	tsquery	bool	tsquery_gt
>	tsvector	tsvector	bool	tsvector_gt
>	uuid	uuid	bool	uuid_gt
>	varbit	varbit	bool	varbitgt
>	xid8	xid8	bool	xid8gt
>=	anyarray	anyarray	bool	array_ge
>=	anyenum	anyenum	bool	enum_ge
>=	anymultirange	anymultirange	bool	multirange_ge
>=	anyrange	anyrange	bool	range_ge
>=	bit	bit	bool	bitge
>=	bool	bool	bool	boolge
>=	box	box	bool	box_ge
>=	bpchar	bpchar	bool	bpcharge
>=	bytea	bytea	bool	byteage
>=	char	char	bool	charge
>=	circle	circle	bool	circle_ge
>=	date	date	bool	date_ge
>=	date	timestamp	bool	date_ge_timestamp
>=	date	timestamptz	bool	date_ge_timestamptz
>=	float4	float4	bool	float4ge
>=	float4	float8	bool	float48ge
>=	float8	float4	bool	float84ge
>=	float8	float8	bool	float8ge
>=	inet	inet	bool	network_ge
>=	int2	int2	bool	int2ge
>=	int2	int4	bool	int24ge
>=	int2	int8	bool	int28ge
>=	int4	int2	bool	int42ge
>=	int4	int4	bool	int4ge
>=	int4	int8	bool	int48ge
>=	int8	int2	bool	int82ge
>=	int8	int4	bool	int84ge
>=	int8	int8	bool	int8ge
>=	interval	interval	bool	interval_ge
>=	jsonb	jsonb	bool	jsonb_ge
>=	lseg	lseg	bool	lseg_ge
>=	macaddr	macaddr	bool	macaddr_ge
>=	macaddr8	macaddr8	bool	macaddr8_ge
>=	money	money	bool	cash_ge
>=	name	name	bool	namege
>=	name	text	bool	namegetext
>=	numeric	numeric	bool	numeric_ge
>=	oid	oid	bool	oidge
>=	oidvector	oidvector	bool	oidvectorge
>=	path	path	bool	path_n_ge
>=	record	record	bool	record_ge
>=	text	name	bool	textgename
>=	text	text	bool	text_ge
>=	tid	tid	bool	tidge
>=	time	time	bool	time_ge
>=	timestamp	date	bool	timestamp_ge_date
>=	timestamp	timestamp	bool	timestamp_ge
>=	timestamp	timestamptz	bool	timestamp_ge_timestamptz
>=	timestamptz	date	bool	timestamptz_ge_date
>=	timestamptz	timestamp	bool	timestamptz_ge_timestamp
>=	timestamptz	timestamptz	bool	timestamptz_ge
>=	timetz	timetz	bool	timetz_ge
>=	tsquery	tsquery	bool	tsquery_ge
>=	tsvector	tsvector	bool	tsvector_ge
>=	uuid	uuid	bool	uuid_ge
>=	varbit	varbit	bool	varbitge
>=	xid8	xid8	bool	xid8ge
>>	anymultirange	anymultirange	bool	multirange_after_multirange
>>	anymultirange	anyrange	bool	multirange_after_range
>>	anyrange	anymultirange	bool	range_after_multirange
>>	anyrange	anyrange	bool	range_after
>>	bit	int4	bit	bitshiftright
>>	box	box	bool	box_right
>>	circle	circle	bool	circle_right
>>	inet	inet	bool	network_sup
>>	int2	int4	int2	int2shr
>>	int4	int4	int4	int4shr
>>	int8	int4	int8	int8shr
>>	point	point	bool	point_right
>>	polygon	polygon	bool	poly_right
>>=	inet	inet	bool	network_supeq
>^	box	box	bool	box_above_eq
>^	point	point	bool	point_above
?	jsonb	text	bool	jsonb_exists
?#	box	box	bool	box_overlap
?#	line	box	bool	inter_lb
?#	line	line	bool	line_intersect	s
?#	lseg	box	bool	inter_sb
?#	lseg	line	bool	inter_sl
?#	lseg	lseg	bool	lseg_intersect	s
?#	path	path	bool	path_inter
?&	jsonb	_text	bool	jsonb_exists_all
?-		line	bool	line_horizontal
?-		lseg	bool	lseg_horizontal
?-	point	point	bool	point_horiz	s
?-|	line	line	bool	line_perp	s
?-|	lseg	lseg	bool	lseg_perp	s
?|		line	bool	line_vertical
?|		lseg	bool	lseg_vertical
?|	jsonb	_text	bool	jsonb_exists_any
?|	point	point	bool	point_vert	s
?||	line	line	bool	line_parallel	s
?||	lseg	lseg	bool	lseg_parallel	s
@		float4	float4	float4abs
@		float8	float8	float8abs
@		int2	int2	int2abs
@		int4	int4	int4abs
@		int8	int8	int8abs
@		numeric	numeric	numeric_abs
@-@		lseg	float8	lseg_length
@-@		path	float8	path_length
@>	_aclitem	aclitem	bool	aclcontains
@>	anyarray	anyarray	bool	arraycontains
@>	anymultirange	anyelement	bool	multirange_contains_elem
@>	anymultirange	anymultirange	bool	multirange_contains_multirange
@>	anymultirange	anyrange	bool	multirange_contains_range
@>	anyrange	anyelement	bool	range_contains_elem
@>	anyrange	anymultirange	bool	range_contains_multirange
@>	anyrange	anyrange	bool	range_contains
@>	box	box	bool	box_contain
@>	box	point	bool	box_contain_pt
@>	circle	circle	bool	circle_contain
@>	circle	point	bool	circle_contain_pt
@>	jsonb	jsonb	bool	jsonb_contains
@>	path	point	bool	path_contain_pt
@>	polygon	point	bool	poly_contain_pt
@>	polygon	polygon	bool	poly_contain
@>	tsquery	tsquery	bool	tsq_mcontains
@?	jsonb	jsonpath	bool	jsonb_path_exists_opr
@@		box	point	box_center
@@		circle	point	circle_center
@@		lseg	point	lseg_center
@@		polygon	point	poly_center
@@	jsonb	jsonpath	bool	jsonb_path_match_opr
@@	text	text	bool	ts_match_tt
@@	text	tsquery	bool	ts_match_tq
@@	tsquery	tsvector	bool	ts_match_qv
@@	tsvector	tsquery	bool	ts_match_vq
@@@	tsquery	tsvector	bool	ts_match_qv
@@@	tsvector	tsquery	bool	ts_match_vq
^	float8	float8	float8	dpow
^	numeric	numeric	numeric	numeric_power
^@	text	text	bool	starts_with
|	bit	bit	bit	bitor	s
|	inet	inet	inet	inetor
|	int2	int2	int2	int2or	s
|	int4	int4	int4	int4or	s
|	int8	int8	int8	int8or	s
|	macaddr	macaddr	macaddr	macaddr_or
|	macaddr8	macaddr8	macaddr8	macaddr8_or
|&>	box	box	bool	box_overabove
|&>	circle	circle	bool	circle_overabove
|&>	polygon	polygon	bool	poly_overabove
|/		float8	float8	dsqrt
|>>	box	box	bool	box_above
|>>	circle	circle	bool	circle_above
|>>	point	point	bool	point_above
|>>	polygon	polygon	bool	poly_above
||	anycompatible	anycompatiblearray	anycompatiblearray	array_prepend
||	anycompatiblearray	anycompatible	anycompatiblearray	array_append
||	anycompatiblearray	anycompatiblearray	anycompatiblearray	array_cat
||	anynonarray	text	text	anytextcat
||	bytea	bytea	bytea	byteacat
||	jsonb	jsonb	jsonb	jsonb_concat
||	text	anynonarray	text	textanycat
||	text	text	text	textcat
||	tsquery	tsquery	tsquery	tsquery_or
||	tsvector	tsvector	tsvector	tsvector_concat
||	varbit	varbit	varbit	bitcat
||/		float8	float8	dcbrt
~		bit	bit	bitnot
~		inet	inet	inetnot
~		int2	int2	int2not
~		int4	int4	int4not
~		int8	int8	int8not
~		macaddr	macaddr	macaddr_not
~		macaddr8	macaddr8	macaddr8_not
~	bpchar	text	bool	bpcharregexeq
~	name	text	bool	nameregexeq
~	text	text	bool	textregexeq
~*	bpchar	text	bool	bpcharicregexeq
~*	name	text	bool	nameicregexeq
~*	text	text	bool	texticregexeq
~<=~	bpchar	bpchar	bool	bpchar_pattern_le
~<=~	text	text	bool	text_pattern_le
~<~	bpchar	bpchar	bool	bpchar_pattern_lt
~<~	text	text	bool	text_pattern_lt
~=	box	box	bool	box_same	s
~=	circle	circle	bool	circle_same	s
~=	point	point	bool	point_eq	s
~=	polygon	polygon	bool	poly_same	s
~>=~	bpchar	bpchar	bool	bpchar_pattern_ge
~>=~	text	text	bool	text_pattern_ge
~>~	bpchar	bpchar	bool	bpchar_pattern_gt
~>~	text	text	bool	text_pattern_gt
~~	bpchar	text	bool	bpcharlike
~~	bytea	bytea	bool	bytealike
~~	name	text	bool	namelike
~~	text	text	bool	textlike
~~*	bpchar	text	bool	bpchariclike
~~*	name	text	bool	nameiclike
~~*	text	text	bool	texticlike
`,
		"casts": `
bit	bit	if	bit	3
bit	int4	ef	int4	1
bit	int8	ef	int8	1
bit	varbit	ib		0
bool	bpchar	af	text	1
bool	int4	ef	int4	1
bool	text	af	text	1
bool	varchar	af	text	1
box	circle	ef	circle	1
box	lseg	ef	lseg	1
box	point	ef	point	1
box	polygon	af	polygon	1
bpchar	bpchar	if	bpchar	3
bpchar	char	af	char	1
bpchar	name	if	name	1
bpchar	text	if	text	1
bpchar	varchar	if	text	1
bpchar	xml	ef	xml	1
char	bpchar	af	bpchar	1
char	int4	ef	int4	1
char	text	if	text	1
char	varchar	af	text	1
cidr	bpchar	af	text	1
cidr	inet	ib		0
cidr	text	af	text	1
cidr	varchar	af	text	1
circle	box	ef	box	1
circle	point	ef	point	1
circle	polygon	ef	polygon	1
date	timestamp	if	timestamp	1
date	timestamptz	if	timestamptz	1
daterange	datemultirange	ef	datemultirange	1
float4	float8	if	float8	1
float4	int2	af	int2	1
float4	int4	af	int4	1
float4	int8	af	int8	1
float4	numeric	af	numeric	1
float8	float4	af	float4	1
float8	int2	af	int2	1
float8	int4	af	int4	1
float8	int8	af	int8	1
float8	numeric	af	numeric	1
inet	bpchar	af	text	1
inet	cidr	af	cidr	1
inet	text	af	text	1
inet	varchar	af	text	1
int2	float4	if	float4	1
int2	float8	if	float8	1
int2	int4	if	int4	1
int2	int8	if	int8	1
int2	numeric	if	numeric	1
int2	oid	if	int4	1
int2	regclass	if	int4	1
int2	regcollation	if	int4	1
int2	regconfig	if	int4	1
int2	regdictionary	if	int4	1
int2	regnamespace	if	int4	1
int2	regoper	if	int4	1
int2	regoperator	if	int4	1
int2	regproc	if	int4	1
int2	regprocedure	if	int4	1
int2	regrole	if	int4	1
int2	regtype	if	int4	1
int4	bit	ef	bit	2
int4	bool	ef	bool	1
int4	char	ef	char	1
int4	float4	if	float4	1
int4	float8	if	float8	1
int4	int2	af	int2	1
int4	int8	if	int8	1
int4	money	af	money	1
int4	numeric	if	numeric	1
int4	oid	ib		0
int4	regclass	ib		0
int4	regcollation	ib		0
int4	regconfig	ib		0
int4	regdictionary	ib		0
int4	regnamespace	ib		0
int4	regoper	ib		0
int4	regoperator	ib		0
int4	regproc	ib		0
int4	regprocedure	ib		0
int4	regrole	ib		0
int4	regtype	ib		0
int4range	int4multirange	ef	int4multirange	1
int8	bit	ef	bit	2
int8	float4	if	float4	1
int8	float8	if	float8	1
int8	int2	af	int2	1
int8	int4	af	int4	1
int8	money	af	money	1
int8	numeric	if	numeric	1
int8	oid	if	oid	1
int8	regclass	if	oid	1
int8	regcollation	if	oid	1
int8	regconfig	if	oid	1
int8	regdictionary	if	oid	1
int8	regnamespace	if	oid	1
int8	regoper	if	oid	1
int8	regoperator	if	oid	1
int8	regproc	if	oid	1
int8	regprocedure	if	oid	1
int8	regrole	if	oid	1
int8	regtype	if	oid	1
int8range	int8multirange	ef	int8multirange	1
interval	interval	if	interval	2
interval	time	af	time	1
json	jsonb	ai		0
jsonb	bool	ef	bool	1
jsonb	float4	ef	float4	1
jsonb	float8	ef	float8	1
jsonb	int2	ef	int2	1
jsonb	int4	ef	int4	1
jsonb	int8	ef	int8	1
jsonb	json	ai		0
jsonb	numeric	ef	numeric	1
lseg	point	ef	point	1
macaddr	macaddr8	if	macaddr8	1
macaddr8	macaddr	if	macaddr	1
money	numeric	af	numeric	1
name	bpchar	af	bpchar	1
name	text	if	text	1
name	varchar	af	varchar	1
numeric	float4	if	float4	1
numeric	float8	if	float8	1
numeric	int2	af	int2	1
numeric	int4	af	int4	1
numeric	int8	af	int8	1
numeric	money	af	money	1
numeric	numeric	if	numeric	2
numrange	nummultirange	ef	nummultirange	1
oid	int4	ab		0
oid	int8	af	int8	1
oid	regclass	ib		0
oid	regcollation	ib		0
oid	regconfig	ib		0
oid	regdictionary	ib		0
oid	regnamespace	ib		0
oid	regoper	ib		0
oid	regoperator	ib		0
oid	regproc	ib		0
oid	regprocedure	ib		0
oid	regrole	ib		0
oid	regtype	ib		0
path	polygon	af	polygon	1
point	box	af	box	1
polygon	box	ef	box	1
polygon	circle	ef	circle	1
polygon	path	af	path	1
polygon	point	ef	point	1
regclass	int4	ab		0
regclass	int8	af	int8	1
regclass	oid	ib		0
regcollation	int4	ab		0
regcollation	int8	af	int8	1
regcollation	oid	ib		0
regconfig	int4	ab		0
regconfig	int8	af	int8	1
regconfig	oid	ib		0
regdictionary	int4	ab		0
regdictionary	int8	af	int8	1
regdictionary	oid	ib		0
regnamespace	int4	ab		0
regnamespace	int8	af	int8	1
regnamespace	oid	ib		0
regoper	int4	ab		0
regoper	int8	af	int8	1
regoper	oid	ib		0
regoper	regoperator	ib		0
regoperator	int4	ab		0
regoperator	int8	af	int8	1
regoperator	oid	ib		0
regoperator	regoper	ib		0
regproc	int4	ab		0
regproc	int8	af	int8	1
regproc	oid	ib		0
regproc	regprocedure	ib		0
regprocedure	int4	ab		0
regprocedure	int8	af	int8	1
regprocedure	oid	ib		0
regprocedure	regproc	ib		0
regrole	int4	ab		0
regrole	int8	af	int8	1
regrole	oid	ib		0
regtype	int4	ab		0
regtype	int8	af	int8	1
regtype	oid	ib		0
text	bpchar	ib		0
text	char	af	char	1
text	name	if	name	1
text	regclass	if	regclass	1
text	varchar	ib		0
text	xml	ef	xml	1
time	interval	if	interval	1
time	time	if	time	2
time	timetz	if	timetz	1
timestamp	date	af	date	1
timestamp	time	af	time	1
timestamp	timestamp	if	timestamp	2
timestamp	timestamptz	if	timestamptz	1
timestamptz	date	af	date	1
timestamptz	time	af	time	1
timestamptz	timestamp	af	timestamp	1
timestamptz	timestamptz	if	timestamptz	2
timestamptz	timetz	af	timetz	1
timetz	time	af	time	1
timetz	timetz	if	timetz	2
tsrange	tsmultirange	ef	tsmultirange	1
tstzrange	tstzmultirange	ef	tstzmultirange	1
varbit	bit	ib		0
varbit	varbit	if	varbit	3
varchar	bpchar	ib		0
varchar	char	af	char	1
varchar	name	if	name	1
varchar	regclass	if	regclass	1
varchar	text	ib		0
varchar	varchar	if	varchar	3
varchar	xml	ef	xml	1
xid8	xid	ef	xid	1
xml	bpchar	ab		0
xml	text	ab		0
xml	varchar	ab		0
`,
	},
	"pgcrypto": {
		"functions": `
armor	bytea	text	fiS
armor	bytea,_text,_text	text	fiS
crypt	text,text	text	fiS
dearmor	text	bytea	fiS
decrypt	bytea,bytea,text	bytea	fiS
decrypt_iv	bytea,bytea,bytea,text	bytea	fiS
digest	bytea,text	bytea	fiS
digest	text,text	bytea	fiS
encrypt	bytea,bytea,text	bytea	fiS
encrypt_iv	bytea,bytea,bytea,text	bytea	fiS
gen_random_bytes	int4	bytea	fvS
gen_random_uuid		uuid	fv
gen_salt	text	text	fvS
gen_salt	text,int4	text	fvS
hmac	bytea,bytea,text	bytea	fiS
hmac	text,text,text	bytea	fiS
pgp_armor_headers	text	record	fiSR	key:text,value:text
pgp_key_id	bytea	text	fiS
pgp_pub_decrypt	bytea,bytea	text	fiS
pgp_pub_decrypt	bytea,bytea,text	text	fiS
pgp_pub_decrypt	bytea,bytea,text,text	text	fiS
pgp_pub_decrypt_bytea	bytea,bytea	bytea	fiS
pgp_pub_decrypt_bytea	bytea,bytea,text	bytea	fiS
pgp_pub_decrypt_bytea	bytea,bytea,text,text	bytea	fiS
pgp_pub_encrypt	text,bytea	bytea	fvS
pgp_pub_encrypt	text,bytea,text	bytea	fvS
pgp_pub_encrypt_bytea	bytea,bytea	bytea	fvS
pgp_pub_encrypt_bytea	bytea,bytea,text	bytea	fvS
pgp_sym_decrypt	bytea,text	text	fiS
pgp_sym_decrypt	bytea,text,text	text	fiS
pgp_sym_decrypt_bytea	bytea,text	bytea	fiS
pgp_sym_decrypt_bytea	bytea,text,text	bytea	fiS
pgp_sym_encrypt	text,text	bytea	fvS
pgp_sym_encrypt	text,text,text	bytea	fvS
pgp_sym_encrypt_bytea	bytea,text	bytea	fvS
pgp_sym_encrypt_bytea	bytea,text,text	bytea	fvS
`,
	},
	"uuid-ossp": {
		"functions": `
uuid_generate_v1		uuid	fvS
uuid_generate_v1mc		uuid	fvS
uuid_generate_v3	uuid,text	uuid	fiS
uuid_generate_v4		uuid	fvS
uuid_generate_v5	uuid,text	uuid	fiS
uuid_nil		uuid	fiS
uuid_ns_dns		uuid	fiS
uuid_ns_oid		uuid	fiS
uuid_ns_url		uuid	fiS
uuid_ns_x500		uuid	fiS
`,
	},
	"citext": {
		"types": `
citext	b	S		
`,
		"functions": `
citext	bool	citext	fiS
citext	bpchar	citext	fiS
citext	inet	citext	fiS
citext_cmp	citext,citext	int4	fiS
citext_eq	citext,citext	bool	fiS
citext_ge	citext,citext	bool	fiS
citext_gt	citext,citext	bool	fiS
citext_hash	citext	int4	fiS
citext_hash_extended	citext,int8	int8	fiS
citext_larger	citext,citext	citext	fiS
citext_le	citext,citext	bool	fiS
citext_lt	citext,citext	bool	fiS
citext_ne	citext,citext	bool	fiS
citext_pattern_cmp	citext,citext	int4	fiS
citext_pattern_ge	citext,citext	bool	fiS
citext_pattern_gt	citext,citext	bool	fiS
citext_pattern_le	citext,citext	bool	fiS
citext_pattern_lt	citext,citext	bool	fiS
citext_smaller	citext,citext	citext	fiS
citextsend	citext	bytea	fsS
max	citext	citext	ai
min	citext	citext	ai
regexp_match	citext,citext	_text	fiS
regexp_match	citext,citext,text	_text	fiS
regexp_matches	citext,citext	_text	fiSR
regexp_matches	citext,citext,text	_text	fiSR
regexp_replace	citext,citext,text	text	fiS
regexp_replace	citext,citext,text,text	text	fiS
regexp_split_to_array	citext,citext	_text	fiS
regexp_split_to_array	citext,citext,text	_text	fiS
regexp_split_to_table	citext,citext	text	fiSR
regexp_split_to_table	citext,citext,text	text	fiSR
replace	citext,citext,citext	text	fiS
split_part	citext,citext,int4	text	fiS
strpos	citext,citext	int4	fiS
texticlike	citext,citext	bool	fiS
texticlike	citext,text	bool	fiS
texticnlike	citext,citext	bool	fiS
texticnlike	citext,text	bool	fiS
texticregexeq	citext,citext	bool	fiS
texticregexeq	citext,text	bool	fiS
texticregexne	citext,citext	bool	fiS
texticregexne	citext,text	bool	fiS
translate	citext,citext,text	text	fiS
`,
		"operators": `
!~	citext	citext	bool	texticregexne
!~	citext	text	bool	texticregexne
!~*	citext	citext	bool	texticregexne
!~*	citext	text	bool	texticregexne
!~~	citext	citext	bool	texticnlike
!~~	citext	text	bool	texticnlike
!~~*	citext	citext	bool	texticnlike
!~~*	citext	text	bool	texticnlike
<	citext	citext	bool	citext_lt
<=	citext	citext	bool	citext_le
<>	citext	citext	bool	citext_ne	s
=	citext	citext	bool	citext_eq	s
>	citext	citext	bool	citext_gt
>=	citext	citext	bool	citext_ge
~	citext	citext	bool	texticregexeq
~	citext	text	bool	texticregexeq
~*	citext	citext	bool	texticregexeq
~*	citext	text	bool	texticregexeq
~<=~	citext	citext	bool	citext_pattern_le
~<~	citext	citext	bool	citext_pattern_lt
~>=~	citext	citext	bool	citext_pattern_ge
~>~	citext	citext	bool	citext_pattern_gt
~~	citext	citext	bool	texticlike
~~	citext	text	bool	texticlike
~~*	citext	citext	bool	texticlike
~~*	citext	text	bool	texticlike
`,
		"casts": `
bool	citext	af	citext	1
bpchar	citext	af	citext	1
citext	bpchar	ab		0
citext	text	ib		0
citext	varchar	ib		0
inet	citext	af	citext	1
text	citext	ab		0
varchar	citext	ab		0
`,
	},
	"hstore": {
		"types": `
ghstore	b	U		
hstore	b	U		
`,
		"functions": `
akeys	hstore	_text	fiS
avals	hstore	_text	fiS
defined	hstore,text	bool	fiS
delete	hstore,_text	hstore	fiS
delete	hstore,hstore	hstore	fiS
delete	hstore,text	hstore	fiS
each	hstore	record	fiSR	key:text,value:text
exist	hstore,text	bool	fiS
exists_all	hstore,_text	bool	fiS
exists_any	hstore,_text	bool	fiS
fetchval	hstore,text	text	fiS
hs_concat	hstore,hstore	hstore	fiS
hs_contained	hstore,hstore	bool	fiS
hs_contains	hstore,hstore	bool	fiS
hstore	_text	hstore	fiS
hstore	_text,_text	hstore	fi
hstore	record	hstore	fi
hstore	text,text	hstore	fi
hstore_cmp	hstore,hstore	int4	fiS
hstore_eq	hstore,hstore	bool	fiS
hstore_ge	hstore,hstore	bool	fiS
hstore_gt	hstore,hstore	bool	fiS
hstore_hash	hstore	int4	fiS
hstore_hash_extended	hstore,int8	int8	fiS
hstore_le	hstore,hstore	bool	fiS
hstore_lt	hstore,hstore	bool	fiS
hstore_ne	hstore,hstore	bool	fiS
hstore_send	hstore	bytea	fiS
hstore_to_array	hstore	_text	fiS
hstore_to_json	hstore	json	fiS
hstore_to_json_loose	hstore	json	fiS
hstore_to_jsonb	hstore	jsonb	fiS
hstore_to_jsonb_loose	hstore	jsonb	fiS
hstore_to_matrix	hstore	_text	fiS
hstore_version_diag	hstore	int4	fiS
isdefined	hstore,text	bool	fiS
isexists	hstore,text	bool	fiS
populate_record	anyelement,hstore	anyelement	fi
skeys	hstore	text	fiSR
slice	hstore,_text	hstore	fiS
slice_array	hstore,_text	_text	fiS
svals	hstore	text	fiSR
tconvert	text,text	hstore	fi
`,
		"operators": `
#<#	hstore	hstore	bool	hstore_lt
#<=#	hstore	hstore	bool	hstore_le
#=	anyelement	hstore	anyelement	populate_record
#>#	hstore	hstore	bool	hstore_gt
#>=#	hstore	hstore	bool	hstore_ge
%#		hstore	_text	hstore_to_matrix
%%		hstore	_text	hstore_to_array
-	hstore	_text	hstore	delete
-	hstore	hstore	hstore	delete
-	hstore	text	hstore	delete
->	hstore	_text	_text	slice_array
->	hstore	text	text	fetchval
<>	hstore	hstore	bool	hstore_ne	s
<@	hstore	hstore	bool	hs_contained
=	hstore	hstore	bool	hstore_eq	s
?	hstore	text	bool	exist
?&	hstore	_text	bool	exists_all
?|	hstore	_text	bool	exists_any
@>	hstore	hstore	bool	hs_contains
||	hstore	hstore	hstore	hs_concat
`,
		"casts": `
_text	hstore	ef	hstore	1
hstore	json	ef	hstore_to_json	1
hstore	jsonb	ef	hstore_to_jsonb	1
`,
	},
	"pg_trgm": {
		"types": `
gtrgm	b	U		
`,
		"functions": `
set_limit	float4	float4	fvS
show_limit		float4	fsS
show_trgm	text	_text	fiS
similarity	text,text	float4	fiS
similarity_dist	text,text	float4	fiS
similarity_op	text,text	bool	fsS
strict_word_similarity	text,text	float4	fiS
strict_word_similarity_commutator_op	text,text	bool	fsS
strict_word_similarity_dist_commutator_op	text,text	float4	fiS
strict_word_similarity_dist_op	text,text	float4	fiS
strict_word_similarity_op	text,text	bool	fsS
word_similarity	text,text	float4	fiS
word_similarity_commutator_op	text,text	bool	fsS
word_similarity_dist_commutator_op	text,text	float4	fiS
word_similarity_dist_op	text,text	float4	fiS
word_similarity_op	text,text	bool	fsS
`,
		"operators": `
%	text	text	bool	similarity_op	s
%>	text	text	bool	word_similarity_commutator_op
%>>	text	text	bool	strict_word_similarity_commutator_op
<%	text	text	bool	word_similarity_op
<->	text	text	float4	similarity_dist	s
<->>	text	text	float4	word_similarity_dist_commutator_op
<->>>	text	text	float4	strict_word_similarity_dist_commutator_op
<<%	text	text	bool	strict_word_similarity_op
<<->	text	text	float4	word_similarity_dist_op
<<<->	text	text	float4	strict_word_similarity_dist_op
`,
	},
	"ltree": {
		"types": `
lquery	b	U		
ltree	b	U		
ltree_gist	b	U		
ltxtquery	b	U		
`,
		"functions": `
_lt_q_regex	_ltree,_lquery	bool	fiS
_lt_q_rregex	_lquery,_ltree	bool	fiS
_ltq_extract_regex	_ltree,lquery	ltree	fiS
_ltq_regex	_ltree,lquery	bool	fiS
_ltq_rregex	lquery,_ltree	bool	fiS
_ltree_extract_isparent	_ltree,ltree	ltree	fiS
_ltree_extract_risparent	_ltree,ltree	ltree	fiS
_ltree_isparent	_ltree,ltree	bool	fiS
_ltree_r_isparent	ltree,_ltree	bool	fiS
_ltree_r_risparent	ltree,_ltree	bool	fiS
_ltree_risparent	_ltree,ltree	bool	fiS
_ltxtq_exec	_ltree,ltxtquery	bool	fiS
_ltxtq_extract_exec	_ltree,ltxtquery	ltree	fiS
_ltxtq_rexec	ltxtquery,_ltree	bool	fiS
index	ltree,ltree	int4	fiS
index	ltree,ltree,int4	int4	fiS
lca	_ltree	ltree	fiS
lca	ltree,ltree	ltree	fiS
lca	ltree,ltree,ltree	ltree	fiS
lca	ltree,ltree,ltree,ltree	ltree	fiS
lca	ltree,ltree,ltree,ltree,ltree	ltree	fiS
lca	ltree,ltree,ltree,ltree,ltree,ltree	ltree	fiS
lca	ltree,ltree,ltree,ltree,ltree,ltree,ltree	ltree	fiS
lca	ltree,ltree,ltree,ltree,ltree,ltree,ltree,ltree	ltree	fiS
lquery_send	lquery	bytea	fiS
lt_q_regex	ltree,_lquery	bool	fiS
lt_q_rregex	_lquery,ltree	bool	fiS
ltq_regex	ltree,lquery	bool	fiS
ltq_rregex	lquery,ltree	bool	fiS
ltree2text	ltree	text	fiS
ltree_addltree	ltree,ltree	ltree	fiS
ltree_addtext	ltree,text	ltree	fiS
ltree_cmp	ltree,ltree	int4	fiS
ltree_eq	ltree,ltree	bool	fiS
ltree_ge	ltree,ltree	bool	fiS
ltree_gt	ltree,ltree	bool	fiS
ltree_isparent	ltree,ltree	bool	fiS
ltree_le	ltree,ltree	bool	fiS
ltree_lt	ltree,ltree	bool	fiS
ltree_ne	ltree,ltree	bool	fiS
ltree_risparent	ltree,ltree	bool	fiS
ltree_send	ltree	bytea	fiS
ltree_textadd	text,ltree	ltree	fiS
ltxtq_exec	ltree,ltxtquery	bool	fiS
ltxtq_rexec	ltxtquery,ltree	bool	fiS
ltxtq_send	ltxtquery	bytea	fiS
nlevel	ltree	int4	fiS
subltree	ltree,int4,int4	ltree	fiS
subpath	ltree,int4	ltree	fiS
subpath	ltree,int4,int4	ltree	fiS
text2ltree	text	ltree	fiS
`,
		"operators": `
<	ltree	ltree	bool	ltree_lt
<=	ltree	ltree	bool	ltree_le
<>	ltree	ltree	bool	ltree_ne	s
<@	_ltree	ltree	bool	_ltree_risparent
<@	ltree	_ltree	bool	_ltree_r_isparent
<@	ltree	ltree	bool	ltree_risparent
=	ltree	ltree	bool	ltree_eq	s
>	ltree	ltree	bool	ltree_gt
>=	ltree	ltree	bool	ltree_ge
?	_lquery	_ltree	bool	_lt_q_rregex
?	_lquery	ltree	bool	lt_q_rregex
?	_ltree	_lquery	bool	_lt_q_regex
?	ltree	_lquery	bool	lt_q_regex
?<@	_ltree	ltree	ltree	_ltree_extract_risparent
?@	_ltree	ltxtquery	ltree	_ltxtq_extract_exec
?@>	_ltree	ltree	ltree	_ltree_extract_isparent
?~	_ltree	lquery	ltree	_ltq_extract_regex
@	_ltree	ltxtquery	bool	_ltxtq_exec
@	ltree	ltxtquery	bool	ltxtq_exec
@	ltxtquery	_ltree	bool	_ltxtq_rexec
@	ltxtquery	ltree	bool	ltxtq_rexec
@>	_ltree	ltree	bool	_ltree_isparent
@>	ltree	_ltree	bool	_ltree_r_risparent
@>	ltree	ltree	bool	ltree_isparent
^<@	_ltree	ltree	bool	_ltree_risparent
^<@	ltree	_ltree	bool	_ltree_r_isparent
^<@	ltree	ltree	bool	ltree_risparent
^?	_lquery	_ltree	bool	_lt_q_rregex
^?	_lquery	ltree	bool	lt_q_rregex
^?	_ltree	_lquery	bool	_lt_q_regex
^?	ltree	_lquery	bool	lt_q_regex
^@	_ltree	ltxtquery	bool	_ltxtq_exec
^@	ltree	ltxtquery	bool	ltxtq_exec
^@	ltxtquery	_ltree	bool	_ltxtq_rexec
^@	ltxtquery	ltree	bool	ltxtq_rexec
^@>	_ltree	ltree	bool	_ltree_isparent
^@>	ltree	_ltree	bool	_ltree_r_risparent
^@>	ltree	ltree	bool	ltree_isparent
^~	_ltree	lquery	bool	_ltq_regex
^~	lquery	_ltree	bool	_ltq_rregex
^~	lquery	ltree	bool	ltq_rregex
^~	ltree	lquery	bool	ltq_regex
||	ltree	ltree	ltree	ltree_addltree
||	ltree	text	ltree	ltree_addtext
||	text	ltree	ltree	ltree_textadd
~	_ltree	lquery	bool	_ltq_regex
~	lquery	_ltree	bool	_ltq_rregex
~	lquery	ltree	bool	ltq_rregex
~	ltree	lquery	bool	ltq_regex
`,
	},
	"intarray": {
		"types": `
intbig_gkey	b	U		
query_int	b	U		
`,
		"functions": `
_int_contained	_int4,_int4	bool	fiS
_int_contains	_int4,_int4	bool	fiS
_int_different	_int4,_int4	bool	fiS
_int_inter	_int4,_int4	_int4	fiS
_int_overlap	_int4,_int4	bool	fiS
_int_same	_int4,_int4	bool	fiS
_int_union	_int4,_int4	_int4	fiS
boolop	_int4,query_int	bool	fiS
icount	_int4	int4	fiS
idx	_int4,int4	int4	fiS
intarray_del_elem	_int4,int4	_int4	fiS
intarray_push_array	_int4,_int4	_int4	fiS
intarray_push_elem	_int4,int4	_int4	fiS
intset	int4	_int4	fiS
intset_subtract	_int4,_int4	_int4	fiS
intset_union_elem	_int4,int4	_int4	fiS
querytree	query_int	text	fiS
rboolop	query_int,_int4	bool	fiS
sort	_int4	_int4	fiS
sort	_int4,text	_int4	fiS
sort_asc	_int4	_int4	fiS
sort_desc	_int4	_int4	fiS
subarray	_int4,int4	_int4	fiS
subarray	_int4,int4,int4	_int4	fiS
uniq	_int4	_int4	fiS
`,
		"operators": `
#		_int4	int4	icount
#	_int4	int4	int4	idx
&	_int4	_int4	_int4	_int_inter	s
&&	_int4	_int4	bool	_int_overlap	s
+	_int4	_int4	_int4	intarray_push_array	s
+	_int4	int4	_int4	intarray_push_elem
-	_int4	_int4	_int4	intset_subtract
-	_int4	int4	_int4	intarray_del_elem
<@	_int4	_int4	bool	_int_contained
@>	_int4	_int4	bool	_int_contains
@@	_int4	query_int	bool	boolop
|	_int4	_int4	_int4	_int_union	s
|	_int4	int4	_int4	intset_union_elem
~~	query_int	_int4	bool	rboolop
`,
	},
	"btree_gist": {
		"types": `
gbtreekey16	b	U		
gbtreekey2	b	U		
gbtreekey32	b	U		
gbtreekey4	b	U		
gbtreekey8	b	U		
gbtreekey_var	b	U		
`,
		"functions": `
cash_dist	money,money	money	fiS
date_dist	date,date	int4	fiS
float4_dist	float4,float4	float4	fiS
float8_dist	float8,float8	float8	fiS
int2_dist	int2,int2	int2	fiS
int4_dist	int4,int4	int4	fiS
int8_dist	int8,int8	int8	fiS
interval_dist	interval,interval	interval	fiS
oid_dist	oid,oid	oid	fiS
time_dist	time,time	interval	fiS
ts_dist	timestamp,timestamp	interval	fiS
tstz_dist	timestamptz,timestamptz	interval	fiS
`,
		"operators": `
<->	date	date	int4	date_dist	s
<->	float4	float4	float4	float4_dist	s
<->	float8	float8	float8	float8_dist	s
<->	int2	int2	int2	int2_dist	s
<->	int4	int4	int4	int4_dist	s
<->	int8	int8	int8	int8_dist	s
<->	interval	interval	interval	interval_dist	s
<->	money	money	money	cash_dist	s
<->	oid	oid	oid	oid_dist	s
<->	time	time	interval	time_dist	s
<->	timestamp	timestamp	interval	ts_dist	s
<->	timestamptz	timestamptz	interval	tstz_dist	s
`,
	},
	"fuzzystrmatch": {
		"functions": `
difference	text,text	int4	fiS
dmetaphone	text	text	fiS
dmetaphone_alt	text	text	fiS
levenshtein	text,text	int4	fiS
levenshtein	text,text,int4,int4,int4	int4	fiS
levenshtein_less_equal	text,text,int4	int4	fiS
levenshtein_less_equal	text,text,int4,int4,int4,int4	int4	fiS
metaphone	text,int4	text	fiS
soundex	text	text	fiS
text_soundex	text	text	fiS
`,
	},
	"unaccent": {
		"functions": `
unaccent	regdictionary,text	text	fsS
unaccent	text	text	fsS
`,
	},
	"cube": {
		"types": `
cube	b	U		
`,
		"functions": `
cube	_float8	cube	fiS
cube	_float8,_float8	cube	fiS
cube	cube,float8	cube	fiS
cube	cube,float8,float8	cube	fiS
cube	float8	cube	fiS
cube	float8,float8	cube	fiS
cube_cmp	cube,cube	int4	fiS
cube_contained	cube,cube	bool	fiS
cube_contains	cube,cube	bool	fiS
cube_coord	cube,int4	float8	fiS
cube_coord_llur	cube,int4	float8	fiS
cube_dim	cube	int4	fiS
cube_distance	cube,cube	float8	fiS
cube_enlarge	cube,float8,int4	cube	fiS
cube_eq	cube,cube	bool	fiS
cube_ge	cube,cube	bool	fiS
cube_gt	cube,cube	bool	fiS
cube_inter	cube,cube	cube	fiS
cube_is_point	cube	bool	fiS
cube_le	cube,cube	bool	fiS
cube_ll_coord	cube,int4	float8	fiS
cube_lt	cube,cube	bool	fiS
cube_ne	cube,cube	bool	fiS
cube_overlap	cube,cube	bool	fiS
cube_send	cube	bytea	fiS
cube_size	cube	float8	fiS
cube_subset	cube,_int4	cube	fiS
cube_union	cube,cube	cube	fiS
cube_ur_coord	cube,int4	float8	fiS
distance_chebyshev	cube,cube	float8	fiS
distance_taxicab	cube,cube	float8	fiS
`,
		"operators": `
&&	cube	cube	bool	cube_overlap	s
->	cube	int4	float8	cube_coord
<	cube	cube	bool	cube_lt
<#>	cube	cube	float8	distance_taxicab	s
<->	cube	cube	float8	cube_distance	s
<=	cube	cube	bool	cube_le
<=>	cube	cube	float8	distance_chebyshev	s
<>	cube	cube	bool	cube_ne	s
<@	cube	cube	bool	cube_contained
=	cube	cube	bool	cube_eq	s
>	cube	cube	bool	cube_gt
>=	cube	cube	bool	cube_ge
@>	cube	cube	bool	cube_contains
~>	cube	int4	float8	cube_coord_llur
`,
	},
	"earthdistance": {
		"types": `
earth	d	U		cube
`,
		"functions": `
earth		float8	fi
earth_box	earth,float8	cube	fiS
earth_distance	earth,earth	float8	fiS
gc_to_sec	float8	float8	fiS
geo_distance	point,point	float8	fiS
latitude	earth	float8	fiS
ll_to_earth	float8,float8	earth	fiS
longitude	earth	float8	fiS
sec_to_gc	float8	float8	fiS
`,
		"operators": `
<@>	point	point	float8	geo_distance	s
`,
	},
	"tablefunc": {
		"functions": `
connectby	text,text,text,text,int4	record	fsSR
connectby	text,text,text,text,int4,text	record	fsSR
connectby	text,text,text,text,text,int4	record	fsSR
connectby	text,text,text,text,text,int4,text	record	fsSR
crosstab	text	record	fsSR
crosstab	text,int4	record	fsSR
crosstab	text,text	record	fsSR
normal_rand	int4,float8,float8	float8	fvSR
`,
	},
	"isn": {
		"types": `
ean13	b	U		
isbn	b	U		
isbn13	b	U		
ismn	b	U		
ismn13	b	U		
issn	b	U		
issn13	b	U		
upc	b	U		
`,
		"functions": `
btean13cmp	ean13,ean13	int4	fiS
btean13cmp	ean13,isbn	int4	fiS
btean13cmp	ean13,isbn13	int4	fiS
btean13cmp	ean13,ismn	int4	fiS
btean13cmp	ean13,ismn13	int4	fiS
btean13cmp	ean13,issn	int4	fiS
btean13cmp	ean13,issn13	int4	fiS
btean13cmp	ean13,upc	int4	fiS
btisbn13cmp	isbn13,ean13	int4	fiS
btisbn13cmp	isbn13,isbn	int4	fiS
btisbn13cmp	isbn13,isbn13	int4	fiS
btisbncmp	isbn,ean13	int4	fiS
btisbncmp	isbn,isbn	int4	fiS
btisbncmp	isbn,isbn13	int4	fiS
btismn13cmp	ismn13,ean13	int4	fiS
btismn13cmp	ismn13,ismn	int4	fiS
btismn13cmp	ismn13,ismn13	int4	fiS
btismncmp	ismn,ean13	int4	fiS
btismncmp	ismn,ismn	int4	fiS
btismncmp	ismn,ismn13	int4	fiS
btissn13cmp	issn13,ean13	int4	fiS
btissn13cmp	issn13,issn	int4	fiS
btissn13cmp	issn13,issn13	int4	fiS
btissncmp	issn,ean13	int4	fiS
btissncmp	issn,issn	int4	fiS
btissncmp	issn,issn13	int4	fiS
btupccmp	upc,ean13	int4	fiS
btupccmp	upc,upc	int4	fiS
hashean13	ean13	int4	fiS
hashisbn	isbn	int4	fiS
hashisbn13	isbn13	int4	fiS
hashismn	ismn	int4	fiS
hashismn13	ismn13	int4	fiS
hashissn	issn	int4	fiS
hashissn13	issn13	int4	fiS
hashupc	upc	int4	fiS
is_valid	ean13	bool	fiS
is_valid	isbn	bool	fiS
is_valid	isbn13	bool	fiS
is_valid	ismn	bool	fiS
is_valid	ismn13	bool	fiS
is_valid	issn	bool	fiS
is_valid	issn13	bool	fiS
is_valid	upc	bool	fiS
isbn	ean13	isbn	fiS
isbn13	ean13	isbn13	fiS
ismn	ean13	ismn	fiS
ismn13	ean13	ismn13	fiS
isn_weak		bool	fiS
isn_weak	bool	bool	fiS
isneq	ean13,ean13	bool	fiS
isneq	ean13,isbn	bool	fiS
isneq	ean13,isbn13	bool	fiS
isneq	ean13,ismn	bool	fiS
isneq	ean13,ismn13	bool	fiS
isneq	ean13,issn	bool	fiS
isneq	ean13,issn13	bool	fiS
isneq	ean13,upc	bool	fiS
isneq	isbn,ean13	bool	fiS
isneq	isbn,isbn	bool	fiS
isneq	isbn,isbn13	bool	fiS
isneq	isbn13,ean13	bool	fiS
isneq	isbn13,isbn	bool	fiS
isneq	isbn13,isbn13	bool	fiS
isneq	ismn,ean13	bool	fiS
isneq	ismn,ismn	bool	fiS
isneq	ismn,ismn13	bool	fiS
isneq	ismn13,ean13	bool	fiS
isneq	ismn13,ismn	bool	fiS
isneq	ismn13,ismn13	bool	fiS
isneq	issn,ean13	bool	fiS
isneq	issn,issn	bool	fiS
isneq	issn,issn13	bool	fiS
isneq	issn13,ean13	bool	fiS
isneq	issn13,issn	bool	fiS
isneq	issn13,issn13	bool	fiS
isneq	upc,ean13	bool	fiS
isneq	upc,upc	bool	fiS
isnge	ean13,ean13	bool	fiS
isnge	ean13,isbn	bool	fiS
isnge	ean13,isbn13	bool	fiS
isnge	ean13,ismn	bool	fiS
isnge	ean13,ismn13	bool	fiS
isnge	ean13,issn	bool	fiS
isnge	ean13,issn13	bool	fiS
isnge	ean13,upc	bool	fiS
isnge	isbn,ean13	bool	fiS
isnge	isbn,isbn	bool	fiS
isnge	isbn,isbn13	bool	fiS
isnge	isbn13,ean13	bool	fiS
isnge	isbn13,isbn	bool	fiS
isnge	isbn13,isbn13	bool	fiS
isnge	ismn,ean13	bool	fiS
isnge	ismn,ismn	bool	fiS
isnge	ismn,ismn13	bool	fiS
isnge	ismn13,ean13	bool	fiS
isnge	ismn13,ismn	bool	fiS
isnge	ismn13,ismn13	bool	fiS
isnge	issn,ean13	bool	fiS
isnge	issn,issn	bool	fiS
isnge	issn,issn13	bool	fiS
isnge	issn13,ean13	bool	fiS
isnge	issn13,issn	bool	fiS
isnge	issn13,issn13	bool	fiS
isnge	upc,ean13	bool	fiS
isnge	upc,upc	bool	fiS
isngt	ean13,ean13	bool	fiS
isngt	ean13,isbn	bool	fiS
isngt	ean13,isbn13	bool	fiS
isngt	ean13,ismn	bool	fiS
isngt	ean13,ismn13	bool	fiS
isngt	ean13,issn	bool	fiS
isngt	ean13,issn13	bool	fiS
isngt	ean13,upc	bool	fiS
isngt	isbn,ean13	bool	fiS
isngt	isbn,isbn	bool	fiS
isngt	isbn,isbn13	bool	fiS
isngt	isbn13,ean13	bool	fiS
isngt	isbn13,isbn	bool	fiS
isngt	isbn13,isbn13	bool	fiS
isngt	ismn,ean13	bool	fiS
isngt	ismn,ismn	bool	fiS
isngt	ismn,ismn13	bool	fiS
isngt	ismn13,ean13	bool	fiS
isngt	ismn13,ismn	bool	fiS
isngt	ismn13,ismn13	bool	fiS
isngt	issn,ean13	bool	fiS
isngt	issn,issn	bool	fiS
isngt	issn,issn13	bool	fiS
isngt	issn13,ean13	bool	fiS
isngt	issn13,issn	bool	fiS
isngt	issn13,issn13	bool	fiS
isngt	upc,ean13	bool	fiS
isngt	upc,upc	bool	fiS
isnle	ean13,ean13	bool	fiS
isnle	ean13,isbn	bool	fiS
isnle	ean13,isbn13	bool	fiS
isnle	ean13,ismn	bool	fiS
isnle	ean13,ismn13	bool	fiS
isnle	ean13,issn	bool	fiS
isnle	ean13,issn13	bool	fiS
isnle	ean13,upc	bool	fiS
isnle	isbn,ean13	bool	fiS
isnle	isbn,isbn	bool	fiS
isnle	isbn,isbn13	bool	fiS
isnle	isbn13,ean13	bool	fiS
isnle	isbn13,isbn	bool	fiS
isnle	isbn13,isbn13	bool	fiS
isnle	ismn,ean13	bool	fiS
isnle	ismn,ismn	bool	fiS
isnle	ismn,ismn13	bool	fiS
isnle	ismn13,ean13	bool	fiS
isnle	ismn13,ismn	bool	fiS
isnle	ismn13,ismn13	bool	fiS
isnle	issn,ean13	bool	fiS
isnle	issn,issn	bool	fiS
isnle	issn,issn13	bool	fiS
isnle	issn13,ean13	bool	fiS
isnle	issn13,issn	bool	fiS
isnle	issn13,issn13	bool	fiS
isnle	upc,ean13	bool	fiS
isnle	upc,upc	bool	fiS
isnlt	ean13,ean13	bool	fiS
isnlt	ean13,isbn	bool	fiS
isnlt	ean13,isbn13	bool	fiS
isnlt	ean13,ismn	bool	fiS
isnlt	ean13,ismn13	bool	fiS
isnlt	ean13,issn	bool	fiS
isnlt	ean13,issn13	bool	fiS
isnlt	ean13,upc	bool	fiS
isnlt	isbn,ean13	bool	fiS
isnlt	isbn,isbn	bool	fiS
isnlt	isbn,isbn13	bool	fiS
isnlt	isbn13,ean13	bool	fiS
isnlt	isbn13,isbn	bool	fiS
isnlt	isbn13,isbn13	bool	fiS
isnlt	ismn,ean13	bool	fiS
isnlt	ismn,ismn	bool	fiS
isnlt	ismn,ismn13	bool	fiS
isnlt	ismn13,ean13	bool	fiS
isnlt	ismn13,ismn	bool	fiS
isnlt	ismn13,ismn13	bool	fiS
isnlt	issn,ean13	bool	fiS
isnlt	issn,issn	bool	fiS
isnlt	issn,issn13	bool	fiS
isnlt	issn13,ean13	bool	fiS
isnlt	issn13,issn	bool	fiS
isnlt	issn13,issn13	bool	fiS
isnlt	upc,ean13	bool	fiS
isnlt	upc,upc	bool	fiS
isnne	ean13,ean13	bool	fiS
isnne	ean13,isbn	bool	fiS
isnne	ean13,isbn13	bool	fiS
isnne	ean13,ismn	bool	fiS
isnne	ean13,ismn13	bool	fiS
isnne	ean13,issn	bool	fiS
isnne	ean13,issn13	bool	fiS
isnne	ean13,upc	bool	fiS
isnne	isbn,ean13	bool	fiS
isnne	isbn,isbn	bool	fiS
isnne	isbn,isbn13	bool	fiS
isnne	isbn13,ean13	bool	fiS
isnne	isbn13,isbn	bool	fiS
isnne	isbn13,isbn13	bool	fiS
isnne	ismn,ean13	bool	fiS
isnne	ismn,ismn	bool	fiS
isnne	ismn,ismn13	bool	fiS
isnne	ismn13,ean13	bool	fiS
isnne	ismn13,ismn	bool	fiS
isnne	ismn13,ismn13	bool	fiS
isnne	issn,ean13	bool	fiS
isnne	issn,issn	bool	fiS
isnne	issn,issn13	bool	fiS
isnne	issn13,ean13	bool	fiS
isnne	issn13,issn	bool	fiS
isnne	issn13,issn13	bool	fiS
isnne	upc,ean13	bool	fiS
isnne	upc,upc	bool	fiS
issn	ean13	issn	fiS
issn13	ean13	issn13	fiS
make_valid	ean13	ean13	fiS
make_valid	isbn	isbn	fiS
make_valid	isbn13	isbn13	fiS
make_valid	ismn	ismn	fiS
make_valid	ismn13	ismn13	fiS
make_valid	issn	issn	fiS
make_valid	issn13	issn13	fiS
make_valid	upc	upc	fiS
upc	ean13	upc	fiS
`,
		"operators": `
<	ean13	ean13	bool	isnlt
<	ean13	isbn	bool	isnlt
<	ean13	isbn13	bool	isnlt
<	ean13	ismn	bool	isnlt
<	ean13	ismn13	bool	isnlt
<	ean13	issn	bool	isnlt
<	ean13	issn13	bool	isnlt
<	ean13	upc	bool	isnlt
<	isbn	ean13	bool	isnlt
<	isbn	isbn	bool	isnlt
<	isbn	isbn13	bool	isnlt
<	isbn13	ean13	bool	isnlt
<	isbn13	isbn	bool	isnlt
<	isbn13	isbn13	bool	isnlt
<	ismn	ean13	bool	isnlt
<	ismn	ismn	bool	isnlt
<	ismn	ismn13	bool	isnlt
<	ismn13	ean13	bool	isnlt
<	ismn13	ismn	bool	isnlt
<	ismn13	ismn13	bool	isnlt
<	issn	ean13	bool	isnlt
<	issn	issn	bool	isnlt
<	issn	issn13	bool	isnlt
<	issn13	ean13	bool	isnlt
<	issn13	issn	bool	isnlt
<	issn13	issn13	bool	isnlt
<	upc	ean13	bool	isnlt
<	upc	upc	bool	isnlt
<=	ean13	ean13	bool	isnle
<=	ean13	isbn	bool	isnle
<=	ean13	isbn13	bool	isnle
<=	ean13	ismn	bool	isnle
<=	ean13	ismn13	bool	isnle
<=	ean13	issn	bool	isnle
<=	ean13	issn13	bool	isnle
<=	ean13	upc	bool	isnle
<=	isbn	ean13	bool	isnle
<=	isbn	isbn	bool	isnle
<=	isbn	isbn13	bool	isnle
<=	isbn13	ean13	bool	isnle
<=	isbn13	isbn	bool	isnle
<=	isbn13	isbn13	bool	isnle
<=	ismn	ean13	bool	isnle
<=	ismn	ismn	bool	isnle
<=	ismn	ismn13	bool	isnle
<=	ismn13	ean13	bool	isnle
<=	ismn13	ismn	bool	isnle
<=	ismn13	ismn13	bool	isnle
<=	issn	ean13	bool	isnle
<=	issn	issn	bool	isnle
<=	issn	issn13	bool	isnle
<=	issn13	ean13	bool	isnle
<=	issn13	issn	bool	isnle
<=	issn13	issn13	bool	isnle
<=	upc	ean13	bool	isnle
<=	upc	upc	bool	isnle
<>	ean13	ean13	bool	isnne	s
<>	ean13	isbn	bool	isnne
<>	ean13	isbn13	bool	isnne
<>	ean13	ismn	bool	isnne
<>	ean13	ismn13	bool	isnne
<>	ean13	issn	bool	isnne
<>	ean13	issn13	bool	isnne
<>	ean13	upc	bool	isnne
<>	isbn	ean13	bool	isnne
<>	isbn	isbn	bool	isnne	s
<>	isbn	isbn13	bool	isnne
<>	isbn13	ean13	bool	isnne
<>	isbn13	isbn	bool	isnne
<>	isbn13	isbn13	bool	isnne	s
<>	ismn	ean13	bool	isnne
<>	ismn	ismn	bool	isnne	s
<>	ismn	ismn13	bool	isnne
<>	ismn13	ean13	bool	isnne
<>	ismn13	ismn	bool	isnne
<>	ismn13	ismn13	bool	isnne	s
<>	issn	ean13	bool	isnne
<>	issn	issn	bool	isnne	s
<>	issn	issn13	bool	isnne
<>	issn13	ean13	bool	isnne
<>	issn13	issn	bool	isnne
<>	issn13	issn13	bool	isnne	s
<>	upc	ean13	bool	isnne
<>	upc	upc	bool	isnne	s
=	ean13	ean13	bool	isneq	s
=	ean13	isbn	bool	isneq
=	ean13	isbn13	bool	isneq
=	ean13	ismn	bool	isneq
=	ean13	ismn13	bool	isneq
=	ean13	issn	bool	isneq
=	ean13	issn13	bool	isneq
=	ean13	upc	bool	isneq
=	isbn	ean13	bool	isneq
=	isbn	isbn	bool	isneq	s
=	isbn	isbn13	bool	isneq
=	isbn13	ean13	bool	isneq
=	isbn13	isbn	bool	isneq
=	isbn13	isbn13	bool	isneq	s
=	ismn	ean13	bool	isneq
=	ismn	ismn	bool	isneq	s
=	ismn	ismn13	bool	isneq
=	ismn13	ean13	bool	isneq
=	ismn13	ismn	bool	isneq
=	ismn13	ismn13	bool	isneq	s
=	issn	ean13	bool	isneq
=	issn	issn	bool	isneq	s
=	issn	issn13	bool	isneq
=	issn13	ean13	bool	isneq
=	issn13	issn	bool	isneq
=	issn13	issn13	bool	isneq	s
=	upc	ean13	bool	isneq
=	upc	upc	bool	isneq	s
>	ean13	ean13	bool	isngt
>	ean13	isbn	bool	isngt
>	ean13	isbn13	bool	isngt
>	ean13	ismn	bool	isngt
>	ean13	ismn13	bool	isngt
>	ean13	issn	bool	isngt
>	ean13	issn13	bool	isngt
>	ean13	upc	bool	isngt
>	isbn	ean13	bool	isngt
>	isbn	isbn	bool	isngt
>	isbn	isbn13	bool	isngt
>	isbn13	ean13	bool	isngt
>	isbn13	isbn	bool	isngt
>	isbn13	isbn13	bool	isngt
>	ismn	ean13	bool	isngt
>	ismn	ismn	bool	isngt
>	ismn	ismn13	bool	isngt
>	ismn13	ean13	bool	isngt
>	ismn13	ismn	bool	isngt
>	ismn13	ismn13	bool	isngt
>	issn	ean13	bool	isngt
>	issn	issn	bool	isngt
>	issn	issn13	bool	isngt
>	issn13	ean13	bool	isngt
>	issn13	issn	bool	isngt
>	issn13	issn13	bool	isngt
>	upc	ean13	bool	isngt
>	upc	upc	bool	isngt
>=	ean13	ean13	bool	isnge
>=	ean13	isbn	bool	isnge
>=	ean13	isbn13	bool	isnge
>=	ean13	ismn	bool	isnge
>=	ean13	ismn13	bool	isnge
>=	ean13	issn	bool	isnge
>=	ean13	issn13	bool	isnge
>=	ean13	upc	bool	isnge
>=	isbn	ean13	bool	isnge
>=	isbn	isbn	bool	isnge
>=	isbn	isbn13	bool	isnge
>=	isbn13	ean13	bool	isnge
>=	isbn13	isbn	bool	isnge
>=	isbn13	isbn13	bool	isnge
>=	ismn	ean13	bool	isnge
>=	ismn	ismn	bool	isnge
>=	ismn	ismn13	bool	isnge
>=	ismn13	ean13	bool	isnge
>=	ismn13	ismn	bool	isnge
>=	ismn13	ismn13	bool	isnge
>=	issn	ean13	bool	isnge
>=	issn	issn	bool	isnge
>=	issn	issn13	bool	isnge
>=	issn13	ean13	bool	isnge
>=	issn13	issn	bool	isnge
>=	issn13	issn13	bool	isnge
>=	upc	ean13	bool	isnge
>=	upc	upc	bool	isnge
`,
		"casts": `
ean13	isbn	ef	isbn	1
ean13	isbn13	ef	isbn13	1
ean13	ismn	ef	ismn	1
ean13	ismn13	ef	ismn13	1
ean13	issn	ef	issn	1
ean13	issn13	ef	issn13	1
ean13	upc	ef	upc	1
isbn	ean13	ab		0
isbn	isbn13	ab		0
isbn13	ean13	ab		0
isbn13	isbn	ab		0
ismn	ean13	ab		0
ismn	ismn13	ab		0
ismn13	ean13	ab		0
ismn13	ismn	ab		0
issn	ean13	ab		0
issn	issn13	ab		0
issn13	ean13	ab		0
issn13	issn	ab		0
upc	ean13	ab		0
`,
	},
	"seg": {
		"types": `
seg	b	U		
`,
		"functions": `
seg_center	seg	float4	fiS
seg_cmp	seg,seg	int4	fiS
seg_contained	seg,seg	bool	fiS
seg_contains	seg,seg	bool	fiS
seg_different	seg,seg	bool	fiS
seg_ge	seg,seg	bool	fiS
seg_gt	seg,seg	bool	fiS
seg_inter	seg,seg	seg	fiS
seg_le	seg,seg	bool	fiS
seg_left	seg,seg	bool	fiS
seg_lower	seg	float4	fiS
seg_lt	seg,seg	bool	fiS
seg_over_left	seg,seg	bool	fiS
seg_over_right	seg,seg	bool	fiS
seg_overlap	seg,seg	bool	fiS
seg_right	seg,seg	bool	fiS
seg_same	seg,seg	bool	fiS
seg_size	seg	float4	fiS
seg_union	seg,seg	seg	fiS
seg_upper	seg	float4	fiS
`,
		"operators": `
&&	seg	seg	bool	seg_overlap	s
&<	seg	seg	bool	seg_over_left
&>	seg	seg	bool	seg_over_right
<	seg	seg	bool	seg_lt
<<	seg	seg	bool	seg_left
<=	seg	seg	bool	seg_le
<>	seg	seg	bool	seg_different	s
<@	seg	seg	bool	seg_contained
=	seg	seg	bool	seg_same	s
>	seg	seg	bool	seg_gt
>=	seg	seg	bool	seg_ge
>>	seg	seg	bool	seg_right
@>	seg	seg	bool	seg_contains
`,
	},
	"lo": {
		"types": `
lo	d	N		oid
`,
		"functions": `
lo_oid	lo	oid	fiS
`,
	},
	"xml2": {
		"functions": `
xml_encode_special_chars	text	text	fiS
xml_valid	text	bool	fsS
xpath_bool	text,text	bool	fiS
xpath_list	text,text	text	fiS
xpath_list	text,text,text	text	fiS
xpath_nodeset	text,text	text	fiS
xpath_nodeset	text,text,text	text	fiS
xpath_nodeset	text,text,text,text	text	fiS
xpath_number	text,text	float4	fiS
xpath_string	text,text	text	fiS
xpath_table	text,text,text,text,text	record	fsSR
xslt_process	text,text	text	fiS
xslt_process	text,text,text	text	fvS
`,
	},
	"dblink": {
		"functions": `
dblink	text	record	fvSR
dblink	text,bool	record	fvSR
dblink	text,text	record	fvSR
dblink	text,text,bool	record	fvSR
dblink_build_sql_delete	text,int2vector,int4,_text	text	fvS
dblink_build_sql_insert	text,int2vector,int4,_text,_text	text	fvS
dblink_build_sql_update	text,int2vector,int4,_text,_text	text	fvS
dblink_cancel_query	text	text	fvS
dblink_close	text	text	fvS
dblink_close	text,bool	text	fvS
dblink_close	text,text	text	fvS
dblink_close	text,text,bool	text	fvS
dblink_connect	text	text	fvS
dblink_connect	text,text	text	fvS
dblink_connect_u	text	text	fvS
dblink_connect_u	text,text	text	fvS
dblink_current_query		text	fv
dblink_disconnect		text	fvS
dblink_disconnect	text	text	fvS
dblink_error_message	text	text	fvS
dblink_exec	text	text	fvS
dblink_exec	text,bool	text	fvS
dblink_exec	text,text	text	fvS
dblink_exec	text,text,bool	text	fvS
dblink_fdw_validator	_text,oid	void	fvS
dblink_fetch	text,int4	record	fvSR
dblink_fetch	text,int4,bool	record	fvSR
dblink_fetch	text,text,int4	record	fvSR
dblink_fetch	text,text,int4,bool	record	fvSR
dblink_get_connections		_text	fv
dblink_get_notify		record	fvSR	notify_name:text,be_pid:int4,extra:text
dblink_get_notify	text	record	fvSR	notify_name:text,be_pid:int4,extra:text
dblink_get_result	text	record	fvSR
dblink_get_result	text,bool	record	fvSR
dblink_is_busy	text	int4	fvS
dblink_open	text,text	text	fvS
dblink_open	text,text,bool	text	fvS
dblink_open	text,text,text	text	fvS
dblink_open	text,text,text,bool	text	fvS
dblink_send_query	text,text	int4	fvS
`,
	},
	"postgis": {
		"types": `
box2d	b	U		
box2df	b	U		
box3d	b	U		
geography	b	U		
geometry	b	U		
gidx	b	U		
spheroid	b	U		
`,
		"functions": `
_postgis_deprecate	text,text,text	void	fiS
_postgis_index_extent	regclass,text	box2d	fsS
_postgis_join_selectivity	regclass,text,regclass,text,text	float8	fvS1
_postgis_pgsql_version		text	fs
_postgis_scripts_pgsql_version		text	fi
_postgis_selectivity	regclass,text,geometry,text	float8	fvS1
_postgis_stats	regclass,text,text	text	fvS1
_st_3ddfullywithin	geometry,geometry,float8	bool	fiS
_st_3ddwithin	geometry,geometry,float8	bool	fiS
_st_3dintersects	geometry,geometry	bool	fiS
_st_asgml	int4,geometry,int4,int4,text,text	text	fi
_st_asx3d	int4,geometry,int4,int4,text	text	fi
_st_bestsrid	geography	int4	fiS
_st_bestsrid	geography,geography	int4	fiS
_st_contains	geometry,geometry	bool	fiS
_st_containsproperly	geometry,geometry	bool	fiS
_st_coveredby	geography,geography	bool	fiS
_st_coveredby	geometry,geometry	bool	fiS
_st_covers	geography,geography	bool	fiS
_st_covers	geometry,geometry	bool	fiS
_st_crosses	geometry,geometry	bool	fiS
_st_dfullywithin	geometry,geometry,float8	bool	fiS
_st_distancetree	geography,geography	float8	fiS
_st_distancetree	geography,geography,float8,bool	float8	fiS
_st_distanceuncached	geography,geography	float8	fiS
_st_distanceuncached	geography,geography,bool	float8	fiS
_st_distanceuncached	geography,geography,float8,bool	float8	fiS
_st_dwithin	geography,geography,float8,bool	bool	fiS1
_st_dwithin	geometry,geometry,float8	bool	fiS
_st_dwithinuncached	geography,geography,float8	bool	fi
_st_dwithinuncached	geography,geography,float8,bool	bool	fiS
_st_equals	geometry,geometry	bool	fiS
_st_expand	geography,float8	geography	fiS
_st_geomfromgml	text,int4	geometry	fi
_st_intersects	geometry,geometry	bool	fiS
_st_linecrossingdirection	geometry,geometry	int4	fiS
_st_longestline	geometry,geometry	geometry	fiS
_st_maxdistance	geometry,geometry	float8	fiS
_st_orderingequals	geometry,geometry	bool	fiS
_st_overlaps	geometry,geometry	bool	fiS
_st_pointoutside	geography	geography	fiS
_st_sortablehash	geometry	int8	fiS
_st_touches	geometry,geometry	bool	fiS
_st_voronoi	geometry,geometry,float8,bool	geometry	fi3
_st_within	geometry,geometry	bool	fi
addauth	text	bool	fv
addgeometrycolumn	varchar,varchar,int4,varchar,int4,bool	text	fvS1
addgeometrycolumn	varchar,varchar,varchar,int4,varchar,int4,bool	text	fsS1
addgeometrycolumn	varchar,varchar,varchar,varchar,int4,varchar,int4,bool	text	fvS1
box	box3d	box	fiS
box	geometry	box	fiS
box2d	box3d	box2d	fiS
box2d	geometry	box2d	fiS
box3d	box2d	box3d	fiS
box3d	geometry	box3d	fiS
box3dtobox	box3d	box	fiS
bytea	geography	bytea	fiS
bytea	geometry	bytea	fiS
checkauth	text,text	int4	fv
checkauth	text,text,text	int4	fv
contains_2d	box2df,box2df	bool	fiS
contains_2d	box2df,geometry	bool	fiS
contains_2d	geometry,box2df	bool	fiS
disablelongtransactions		text	fv
dropgeometrycolumn	varchar,varchar	text	fvS
dropgeometrycolumn	varchar,varchar,varchar	text	fvS
dropgeometrycolumn	varchar,varchar,varchar,varchar	text	fvS
dropgeometrytable	varchar	text	fvS
dropgeometrytable	varchar,varchar	text	fvS
dropgeometrytable	varchar,varchar,varchar	text	fvS
enablelongtransactions		text	fv
equals	geometry,geometry	bool	fiS
find_srid	varchar,varchar,varchar	int4	fsS
geography	bytea	geography	fiS
geography	geography,int4,bool	geography	fiS
geography	geometry	geography	fiS
geography_cmp	geography,geography	int4	fiS
geography_distance_knn	geography,geography	float8	fiS
geography_eq	geography,geography	bool	fiS
geography_ge	geography,geography	bool	fiS
geography_gt	geography,geography	bool	fiS
geography_le	geography,geography	bool	fiS
geography_lt	geography,geography	bool	fiS
geography_overlaps	geography,geography	bool	fiS
geography_send	geography	bytea	fiS
geography_typmod_in	_cstring	int4	fiS
geometry	box2d	geometry	fiS
geometry	box3d	geometry	fiS
geometry	bytea	geometry	fiS
geometry	geography	geometry	fiS
geometry	geometry,int4,bool	geometry	fiS
geometry	path	geometry	fiS
geometry	point	geometry	fiS
geometry	polygon	geometry	fiS
geometry	text	geometry	fiS
geometry_above	geometry,geometry	bool	fiS
geometry_below	geometry,geometry	bool	fiS
geometry_cmp	geometry,geometry	int4	fiS
geometry_contained_3d	geometry,geometry	bool	fiS
geometry_contains	geometry,geometry	bool	fiS
geometry_contains_3d	geometry,geometry	bool	fiS
geometry_contains_nd	geometry,geometry	bool	fiS
geometry_distance_box	geometry,geometry	float8	fiS
geometry_distance_centroid	geometry,geometry	float8	fiS
geometry_distance_centroid_nd	geometry,geometry	float8	fiS
geometry_distance_cpa	geometry,geometry	float8	fiS
geometry_eq	geometry,geometry	bool	fiS
geometry_ge	geometry,geometry	bool	fiS
geometry_gt	geometry,geometry	bool	fiS
geometry_hash	geometry	int4	fiS
geometry_le	geometry,geometry	bool	fiS
geometry_left	geometry,geometry	bool	fiS
geometry_lt	geometry,geometry	bool	fiS
geometry_overabove	geometry,geometry	bool	fiS
geometry_overbelow	geometry,geometry	bool	fiS
geometry_overlaps	geometry,geometry	bool	fiS
geometry_overlaps_3d	geometry,geometry	bool	fiS
geometry_overlaps_nd	geometry,geometry	bool	fiS
geometry_overleft	geometry,geometry	bool	fiS
geometry_overright	geometry,geometry	bool	fiS
geometry_right	geometry,geometry	bool	fiS
geometry_same	geometry,geometry	bool	fiS
geometry_same_3d	geometry,geometry	bool	fiS
geometry_same_nd	geometry,geometry	bool	fiS
geometry_send	geometry	bytea	fiS
geometry_typmod_in	_cstring	int4	fiS
geometry_within	geometry,geometry	bool	fiS
geometry_within_nd	geometry,geometry	bool	fiS
geometrytype	geography	text	fiS
geometrytype	geometry	text	fiS
geomfromewkb	bytea	geometry	fiS
geomfromewkt	text	geometry	fiS
get_proj4_from_srid	int4	text	fiS
gettransactionid		xid	fv
is_contained_2d	box2df,box2df	bool	fiS
is_contained_2d	box2df,geometry	bool	fiS
is_contained_2d	geometry,box2df	bool	fiS
json	geometry	json	fiS
jsonb	geometry	jsonb	fiS
lockrow	text,text,text	int4	fvS
lockrow	text,text,text,text	int4	fvS
lockrow	text,text,text,text,timestamp	int4	fvS
lockrow	text,text,text,timestamp	int4	fvS
longtransactionsenabled		bool	fv
overlaps_2d	box2df,box2df	bool	fiS
overlaps_2d	box2df,geometry	bool	fiS
overlaps_2d	geometry,box2df	bool	fiS
overlaps_geog	geography,gidx	bool	fiS
overlaps_geog	gidx,geography	bool	fiS
overlaps_geog	gidx,gidx	bool	fiS
overlaps_nd	geometry,gidx	bool	fiS
overlaps_nd	gidx,geometry	bool	fiS
overlaps_nd	gidx,gidx	bool	fiS
path	geometry	path	fiS
point	geometry	point	fiS
polygon	geometry	polygon	fiS
populate_geometry_columns	bool	text	fv1
populate_geometry_columns	oid,bool	int4	fv1
postgis_addbbox	geometry	geometry	fiS
postgis_constraint_dims	text,text,text	int4	fsS
postgis_constraint_srid	text,text,text	int4	fsS
postgis_constraint_type	text,text,text	varchar	fsS
postgis_dropbbox	geometry	geometry	fiS
postgis_extensions_upgrade		text	fv
postgis_full_version		text	fi
postgis_geos_noop	geometry	geometry	fiS
postgis_geos_version		text	fi
postgis_getbbox	geometry	box2d	fiS
postgis_hasbbox	geometry	bool	fiS
postgis_lib_build_date		text	fi
postgis_lib_revision		text	fi
postgis_lib_version		text	fi
postgis_libjson_version		text	fiS
postgis_liblwgeom_version		text	fi
postgis_libprotobuf_version		text	fiS
postgis_libxml_version		text	fi
postgis_noop	geometry	geometry	fiS
postgis_proj_version		text	fi
postgis_scripts_build_date		text	fi
postgis_scripts_installed		text	fi
postgis_scripts_released		text	fi
postgis_svn_version		text	fi
postgis_transform_geometry	geometry,text,text,int4	geometry	fiS
postgis_type_name	varchar,int4,bool	varchar	fiS1
postgis_typmod_dims	int4	int4	fiS
postgis_typmod_srid	int4	int4	fiS
postgis_typmod_type	int4	text	fiS
postgis_version		text	fi
postgis_wagyu_version		text	fi
st_3dclosestpoint	geometry,geometry	geometry	fiS
st_3ddfullywithin	geometry,geometry,float8	bool	fiS
st_3ddistance	geometry,geometry	float8	fiS
st_3ddwithin	geometry,geometry,float8	bool	fiS
st_3dextent	geometry	box3d	ai
st_3dintersects	geometry,geometry	bool	fiS
st_3dlength	geometry	float8	fiS
st_3dlineinterpolatepoint	geometry,float8	geometry	fiS
st_3dlongestline	geometry,geometry	geometry	fiS
st_3dmakebox	geometry,geometry	box3d	fiS
st_3dmaxdistance	geometry,geometry	float8	fiS
st_3dperimeter	geometry	float8	fiS
st_3dshortestline	geometry,geometry	geometry	fiS
st_addmeasure	geometry,float8,float8	geometry	fiS
st_addpoint	geometry,geometry	geometry	fiS
st_addpoint	geometry,geometry,int4	geometry	fiS
st_affine	geometry,float8,float8,float8,float8,float8,float8	geometry	fiS
st_affine	geometry,float8,float8,float8,float8,float8,float8,float8,float8,float8,float8,float8,float8	geometry	fiS
st_angle	geometry,geometry	float8	fiS
st_angle	geometry,geometry,geometry,geometry	float8	fiS1
st_area	geography,bool	float8	fiS1
st_area	geometry	float8	fiS
st_area	text	float8	fiS
st_area2d	geometry	float8	fiS
st_asbinary	geography	bytea	fiS
st_asbinary	geography,text	bytea	fi
st_asbinary	geometry	bytea	fiS
st_asbinary	geometry,text	bytea	fiS
st_asencodedpolyline	geometry,int4	text	fiS1
st_asewkb	geometry	bytea	fiS
st_asewkb	geometry,text	bytea	fiS
st_asewkt	geography	text	fiS
st_asewkt	geography,int4	text	fiS
st_asewkt	geometry	text	fiS
st_asewkt	geometry,int4	text	fiS
st_asewkt	text	text	fiS
st_asflatgeobuf	anyelement	bytea	ai
st_asflatgeobuf	anyelement,bool	bytea	ai
st_asflatgeobuf	anyelement,bool,text	bytea	ai
st_asgeobuf	anyelement	bytea	ai
st_asgeobuf	anyelement,text	bytea	ai
st_asgeojson	geography,int4,int4	text	fiS2
st_asgeojson	geometry,int4,int4	text	fiS2
st_asgeojson	record,text,int4,bool	text	fsS3
st_asgeojson	text	text	fiS
st_asgml	geography,int4,int4,text,text	text	fiS4
st_asgml	geometry,int4,int4	text	fi2
st_asgml	int4,geography,int4,int4,text,text	text	fiS4
st_asgml	int4,geometry,int4,int4,text,text	text	fi4
st_asgml	text	text	fiS
st_ashexewkb	geometry	text	fiS
st_ashexewkb	geometry,text	text	fiS
st_askml	geography,int4,text	text	fiS2
st_askml	geometry,int4,text	text	fiS2
st_askml	text	text	fiS
st_aslatlontext	geometry,text	text	fiS1
st_asmarc21	geometry,text	text	fiS1
st_asmvt	anyelement	bytea	ai
st_asmvt	anyelement,text	bytea	ai
st_asmvt	anyelement,text,int4	bytea	ai
st_asmvt	anyelement,text,int4,text	bytea	ai
st_asmvt	anyelement,text,int4,text,text	bytea	ai
st_asmvtgeom	geometry,box2d,int4,int4,bool	geometry	fi3
st_assvg	geography,int4,int4	text	fiS2
st_assvg	geometry,int4,int4	text	fiS2
st_assvg	text	text	fiS
st_astext	geography	text	fiS
st_astext	geography,int4	text	fiS
st_astext	geometry	text	fiS
st_astext	geometry,int4	text	fiS
st_astext	text	text	fiS
st_astwkb	_geometry,_int8,int4,int4,int4,bool,bool	bytea	fi5
st_astwkb	geometry,int4,int4,int4,bool,bool	bytea	fi5
st_asx3d	geometry,int4,int4	text	fi2
st_azimuth	geography,geography	float8	fiS
st_azimuth	geometry,geometry	float8	fiS
st_bdmpolyfromtext	text,int4	geometry	fiS
st_bdpolyfromtext	text,int4	geometry	fiS
st_boundary	geometry	geometry	fiS
st_boundingdiagonal	geometry,bool	geometry	fiS1
st_box2dfromgeohash	text,int4	box2d	fi1
st_buffer	geography,float8	geography	fiS
st_buffer	geography,float8,int4	geography	fiS
st_buffer	geography,float8,text	geography	fiS
st_buffer	geometry,float8,int4	geometry	fiS
st_buffer	geometry,float8,text	geometry	fiS1
st_buffer	text,float8	geometry	fiS
st_buffer	text,float8,int4	geometry	fiS
st_buffer	text,float8,text	geometry	fiS
st_buildarea	geometry	geometry	fiS
st_centroid	geography,bool	geography	fiS1
st_centroid	geometry	geometry	fiS
st_centroid	text	geometry	fiS
st_chaikinsmoothing	geometry,int4,bool	geometry	fiS2
st_cleangeometry	geometry	geometry	fiS
st_clipbybox2d	geometry,box2d	geometry	fiS
st_closestpoint	geometry,geometry	geometry	fiS
st_closestpointofapproach	geometry,geometry	float8	fiS
st_clusterdbscan	geometry,float8,int4	int4	wiS
st_clusterintersecting	_geometry	_geometry	fiS
st_clusterintersecting	geometry	_geometry	ai
st_clusterkmeans	geometry,int4,float8	int4	wvS1
st_clusterwithin	_geometry,float8	_geometry	fiS
st_clusterwithin	geometry,float8	_geometry	ai
st_collect	_geometry	geometry	fiS
st_collect	geometry	geometry	ai
st_collect	geometry,geometry	geometry	fi
st_collectionextract	geometry	geometry	fiS
st_collectionextract	geometry,int4	geometry	fiS
st_collectionhomogenize	geometry	geometry	fiS
st_combinebbox	box2d,geometry	box2d	fi
st_combinebbox	box3d,box3d	box3d	fi
st_combinebbox	box3d,geometry	box3d	fi
st_concavehull	geometry,float8,bool	geometry	fiS1
st_contains	geometry,geometry	bool	fiS
st_containsproperly	geometry,geometry	bool	fiS
st_convexhull	geometry	geometry	fiS
st_coorddim	geometry	int2	fiS
st_coveredby	geography,geography	bool	fiS
st_coveredby	geometry,geometry	bool	fiS
st_coveredby	text,text	bool	fi
st_covers	geography,geography	bool	fiS
st_covers	geometry,geometry	bool	fiS
st_covers	text,text	bool	fi
st_cpawithin	geometry,geometry,float8	bool	fiS
st_crosses	geometry,geometry	bool	fiS
st_curvetoline	geometry,float8,int4,int4	geometry	fiS3
st_delaunaytriangles	geometry,float8,int4	geometry	fiS2
st_dfullywithin	geometry,geometry,float8	bool	fiS
st_difference	geometry,geometry,float8	geometry	fiS1
st_dimension	geometry	int4	fiS
st_disjoint	geometry,geometry	bool	fiS
st_distance	geography,geography,bool	float8	fiS1
st_distance	geometry,geometry	float8	fiS
st_distance	text,text	float8	fiS
st_distancecpa	geometry,geometry	float8	fiS
st_distancesphere	geometry,geometry	float8	fiS
st_distancesphere	geometry,geometry,float8	float8	fiS
st_distancespheroid	geometry,geometry	float8	fiS
st_distancespheroid	geometry,geometry,spheroid	float8	fiS
st_dwithin	geography,geography,float8,bool	bool	fiS1
st_dwithin	geometry,geometry,float8	bool	fiS
st_dwithin	text,text,float8	bool	fi
st_endpoint	geometry	geometry	fiS
st_envelope	geometry	geometry	fiS
st_equals	geometry,geometry	bool	fiS
st_estimatedextent	text,text	box2d	fsS
st_estimatedextent	text,text,text	box2d	fsS
st_estimatedextent	text,text,text,bool	box2d	fsS
st_expand	box2d,float8	box2d	fiS
st_expand	box2d,float8,float8	box2d	fiS
st_expand	box3d,float8	box3d	fiS
st_expand	box3d,float8,float8,float8	box3d	fiS1
st_expand	geometry,float8	geometry	fiS
st_expand	geometry,float8,float8,float8,float8	geometry	fiS2
st_extent	geometry	box2d	ai
st_exteriorring	geometry	geometry	fiS
st_filterbym	geometry,float8,float8,bool	geometry	fi2
st_findextent	text,text	box2d	fsS
st_findextent	text,text,text	box2d	fsS
st_flipcoordinates	geometry	geometry	fiS
st_force2d	geometry	geometry	fiS
st_force3d	geometry,float8	geometry	fiS1
st_force3dm	geometry,float8	geometry	fiS1
st_force3dz	geometry,float8	geometry	fiS1
st_force4d	geometry,float8,float8	geometry	fiS2
st_forcecollection	geometry	geometry	fiS
st_forcecurve	geometry	geometry	fiS
st_forcepolygonccw	geometry	geometry	fiS
st_forcepolygoncw	geometry	geometry	fiS
st_forcerhr	geometry	geometry	fiS
st_forcesfs	geometry	geometry	fiS
st_forcesfs	geometry,text	geometry	fiS
st_frechetdistance	geometry,geometry,float8	float8	fiS1
st_fromflatgeobuf	anyelement,bytea	anyelement	fiR
st_fromflatgeobuftotable	text,text,bytea	void	fiS
st_generatepoints	geometry,int4	geometry	fvS
st_generatepoints	geometry,int4,int4	geometry	fiS
st_geogfromtext	text	geography	fiS
st_geogfromwkb	bytea	geography	fiS
st_geographyfromtext	text	geography	fiS
st_geohash	geography,int4	text	fiS1
st_geohash	geometry,int4	text	fiS1
st_geomcollfromtext	text	geometry	fiS
st_geomcollfromtext	text,int4	geometry	fiS
st_geomcollfromwkb	bytea	geometry	fiS
st_geomcollfromwkb	bytea,int4	geometry	fiS
st_geometricmedian	geometry,float8,int4,bool	geometry	fi3
st_geometryfromtext	text	geometry	fiS
st_geometryfromtext	text,int4	geometry	fiS
st_geometryn	geometry,int4	geometry	fiS
st_geometrytype	geometry	text	fiS
st_geomfromewkb	bytea	geometry	fiS
st_geomfromewkt	text	geometry	fiS
st_geomfromgeohash	text,int4	geometry	fi1
st_geomfromgeojson	json	geometry	fiS
st_geomfromgeojson	jsonb	geometry	fiS
st_geomfromgeojson	text	geometry	fiS
st_geomfromgml	text	geometry	fiS
st_geomfromgml	text,int4	geometry	fiS
st_geomfromkml	text	geometry	fiS
st_geomfrommarc21	text	geometry	fiS
st_geomfromtext	text	geometry	fiS
st_geomfromtext	text,int4	geometry	fiS
st_geomfromtwkb	bytea	geometry	fiS
st_geomfromwkb	bytea	geometry	fiS
st_geomfromwkb	bytea,int4	geometry	fiS
st_gmltosql	text	geometry	fiS
st_gmltosql	text,int4	geometry	fiS
st_hasarc	geometry	bool	fiS
st_hausdorffdistance	geometry,geometry	float8	fiS
st_hausdorffdistance	geometry,geometry,float8	float8	fiS
st_hexagon	float8,int4,int4,geometry	geometry	fiS1
st_hexagongrid	float8,geometry	record	fiSR	geom:geometry,i:int4,j:int4
st_interiorringn	geometry,int4	geometry	fiS
st_interpolatepoint	geometry,geometry	float8	fiS
st_intersection	geography,geography	geography	fiS
st_intersection	geometry,geometry,float8	geometry	fiS1
st_intersection	text,text	geometry	fiS
st_intersects	geography,geography	bool	fiS
st_intersects	geometry,geometry	bool	fiS
st_intersects	text,text	bool	fi
st_isclosed	geometry	bool	fiS
st_iscollection	geometry	bool	fiS
st_isempty	geometry	bool	fiS
st_ispolygonccw	geometry	bool	fiS
st_ispolygoncw	geometry	bool	fiS
st_isring	geometry	bool	fiS
st_issimple	geometry	bool	fiS
st_isvalid	geometry	bool	fiS
st_isvalid	geometry,int4	bool	fiS
st_isvalidreason	geometry	text	fiS
st_isvalidreason	geometry,int4	text	fiS
st_isvalidtrajectory	geometry	bool	fiS
st_length	geography,bool	float8	fiS1
st_length	geometry	float8	fiS
st_length	text	float8	fiS
st_length2d	geometry	float8	fiS
st_length2dspheroid	geometry,spheroid	float8	fiS
st_lengthspheroid	geometry,spheroid	float8	fiS
st_letters	text,json	geometry	fi1
st_linecrossingdirection	geometry,geometry	int4	fiS
st_linefromencodedpolyline	text,int4	geometry	fiS1
st_linefrommultipoint	geometry	geometry	fiS
st_linefromtext	text	geometry	fiS
st_linefromtext	text,int4	geometry	fiS
st_linefromwkb	bytea	geometry	fiS
st_linefromwkb	bytea,int4	geometry	fiS
st_lineinterpolatepoint	geometry,float8	geometry	fiS
st_lineinterpolatepoints	geometry,float8,bool	geometry	fiS1
st_linelocatepoint	geometry,geometry	float8	fiS
st_linemerge	geometry	geometry	fiS
st_linemerge	geometry,bool	geometry	fiS
st_linestringfromwkb	bytea	geometry	fiS
st_linestringfromwkb	bytea,int4	geometry	fiS
st_linesubstring	geometry,float8,float8	geometry	fiS
st_linetocurve	geometry	geometry	fiS
st_locatealong	geometry,float8,float8	geometry	fiS1
st_locatebetween	geometry,float8,float8,float8	geometry	fiS1
st_locatebetweenelevations	geometry,float8,float8	geometry	fiS
st_longestline	geometry,geometry	geometry	fiS
st_m	geometry	float8	fiS
st_makebox2d	geometry,geometry	box2d	fiS
st_makeenvelope	float8,float8,float8,float8,int4	geometry	fiS1
st_makeline	_geometry	geometry	fiS
st_makeline	geometry	geometry	ai
st_makeline	geometry,geometry	geometry	fiS
st_makepoint	float8,float8	geometry	fiS
st_makepoint	float8,float8,float8	geometry	fiS
st_makepoint	float8,float8,float8,float8	geometry	fiS
st_makepointm	float8,float8,float8	geometry	fiS
st_makepolygon	geometry	geometry	fiS
st_makepolygon	geometry,_geometry	geometry	fiS
st_makevalid	geometry	geometry	fiS
st_makevalid	geometry,text	geometry	fiS
st_maxdistance	geometry,geometry	float8	fiS
st_maximuminscribedcircle	geometry	record	fiS	center:geometry,nearest:geometry,radius:float8
st_memcollect	geometry	geometry	ai
st_memsize	geometry	int4	fiS
st_memunion	geometry	geometry	ai
st_minimumboundingcircle	geometry,int4	geometry	fiS1
st_minimumboundingradius	geometry	record	fiS	center:geometry,radius:float8
st_minimumclearance	geometry	float8	fiS
st_minimumclearanceline	geometry	geometry	fiS
st_mlinefromtext	text	geometry	fiS
st_mlinefromtext	text,int4	geometry	fiS
st_mlinefromwkb	bytea	geometry	fiS
st_mlinefromwkb	bytea,int4	geometry	fiS
st_mpointfromtext	text	geometry	fiS
st_mpointfromtext	text,int4	geometry	fiS
st_mpointfromwkb	bytea	geometry	fiS
st_mpointfromwkb	bytea,int4	geometry	fiS
st_mpolyfromtext	text	geometry	fiS
st_mpolyfromtext	text,int4	geometry	fiS
st_mpolyfromwkb	bytea	geometry	fiS
st_mpolyfromwkb	bytea,int4	geometry	fiS
st_multi	geometry	geometry	fiS
st_multilinefromwkb	bytea	geometry	fiS
st_multilinestringfromtext	text	geometry	fiS
st_multilinestringfromtext	text,int4	geometry	fiS
st_multipointfromtext	text	geometry	fiS
st_multipointfromwkb	bytea	geometry	fiS
st_multipointfromwkb	bytea,int4	geometry	fiS
st_multipolyfromwkb	bytea	geometry	fiS
st_multipolyfromwkb	bytea,int4	geometry	fiS
st_multipolygonfromtext	text	geometry	fiS
st_multipolygonfromtext	text,int4	geometry	fiS
st_ndims	geometry	int2	fiS
st_node	geometry	geometry	fiS
st_normalize	geometry	geometry	fiS
st_npoints	geometry	int4	fiS
st_nrings	geometry	int4	fiS
st_numgeometries	geometry	int4	fiS
st_numinteriorring	geometry	int4	fiS
st_numinteriorrings	geometry	int4	fiS
st_numpatches	geometry	int4	fiS
st_numpoints	geometry	int4	fiS
st_offsetcurve	geometry,float8,text	geometry	fiS1
st_orderingequals	geometry,geometry	bool	fiS
st_orientedenvelope	geometry	geometry	fiS
st_overlaps	geometry,geometry	bool	fiS
st_patchn	geometry,int4	geometry	fiS
st_perimeter	geography,bool	float8	fiS1
st_perimeter	geometry	float8	fiS
st_perimeter2d	geometry	float8	fiS
st_point	float8,float8	geometry	fiS
st_point	float8,float8,int4	geometry	fiS
st_pointfromgeohash	text,int4	geometry	fi1
st_pointfromtext	text	geometry	fiS
st_pointfromtext	text,int4	geometry	fiS
st_pointfromwkb	bytea	geometry	fiS
st_pointfromwkb	bytea,int4	geometry	fiS
st_pointinsidecircle	geometry,float8,float8,float8	bool	fiS
st_pointm	float8,float8,float8,int4	geometry	fiS1
st_pointn	geometry,int4	geometry	fiS
st_pointonsurface	geometry	geometry	fiS
st_points	geometry	geometry	fiS
st_pointz	float8,float8,float8,int4	geometry	fiS1
st_pointzm	float8,float8,float8,float8,int4	geometry	fiS1
st_polyfromtext	text	geometry	fiS
st_polyfromtext	text,int4	geometry	fiS
st_polyfromwkb	bytea	geometry	fiS
st_polyfromwkb	bytea,int4	geometry	fiS
st_polygon	geometry,int4	geometry	fiS
st_polygonfromtext	text	geometry	fiS
st_polygonfromtext	text,int4	geometry	fiS
st_polygonfromwkb	bytea	geometry	fiS
st_polygonfromwkb	bytea,int4	geometry	fiS
st_polygonize	_geometry	geometry	fiS
st_polygonize	geometry	geometry	ai
st_project	geography,float8,float8	geography	fi
st_quantizecoordinates	geometry,int4,int4,int4,int4	geometry	fi3
st_reduceprecision	geometry,float8	geometry	fiS
st_relate	geometry,geometry	text	fiS
st_relate	geometry,geometry,int4	text	fiS
st_relate	geometry,geometry,text	bool	fiS
st_relatematch	text,text	bool	fiS
st_removepoint	geometry,int4	geometry	fiS
st_removerepeatedpoints	geometry,float8	geometry	fiS1
st_reverse	geometry	geometry	fiS
st_rotate	geometry,float8	geometry	fiS
st_rotate	geometry,float8,float8,float8	geometry	fiS
st_rotate	geometry,float8,geometry	geometry	fiS
st_rotatex	geometry,float8	geometry	fiS
st_rotatey	geometry,float8	geometry	fiS
st_rotatez	geometry,float8	geometry	fiS
st_scale	geometry,float8,float8	geometry	fiS
st_scale	geometry,float8,float8,float8	geometry	fiS
st_scale	geometry,geometry	geometry	fiS
st_scale	geometry,geometry,geometry	geometry	fiS
st_scroll	geometry,geometry	geometry	fiS
st_segmentize	geography,float8	geography	fiS
st_segmentize	geometry,float8	geometry	fiS
st_seteffectivearea	geometry,float8,int4	geometry	fiS2
st_setpoint	geometry,int4,geometry	geometry	fiS
st_setsrid	geography,int4	geography	fiS
st_setsrid	geometry,int4	geometry	fiS
st_sharedpaths	geometry,geometry	geometry	fiS
st_shiftlongitude	geometry	geometry	fiS
st_shortestline	geometry,geometry	geometry	fiS
st_simplify	geometry,float8	geometry	fiS
st_simplify	geometry,float8,bool	geometry	fiS
st_simplifypolygonhull	geometry,float8,bool	geometry	fiS1
st_simplifypreservetopology	geometry,float8	geometry	fiS
st_simplifyvw	geometry,float8	geometry	fiS
st_snap	geometry,geometry,float8	geometry	fiS
st_snaptogrid	geometry,float8	geometry	fiS
st_snaptogrid	geometry,float8,float8	geometry	fiS
st_snaptogrid	geometry,float8,float8,float8,float8	geometry	fiS
st_snaptogrid	geometry,geometry,float8,float8,float8,float8	geometry	fiS
st_split	geometry,geometry	geometry	fiS
st_square	float8,int4,int4,geometry	geometry	fiS1
st_squaregrid	float8,geometry	record	fiSR	geom:geometry,i:int4,j:int4
st_srid	geography	int4	fiS
st_srid	geometry	int4	fiS
st_startpoint	geometry	geometry	fiS
st_subdivide	geometry,int4,float8	geometry	fiSR2
st_summary	geography	text	fiS
st_summary	geometry	text	fiS
st_symdifference	geometry,geometry,float8	geometry	fiS1
st_symmetricdifference	geometry,geometry	geometry	fv
st_tileenvelope	int4,int4,int4,geometry,float8	geometry	fiS2
st_touches	geometry,geometry	bool	fiS
st_transform	geometry,int4	geometry	fiS
st_transform	geometry,text	geometry	fiS
st_transform	geometry,text,int4	geometry	fiS
st_transform	geometry,text,text	geometry	fiS
st_translate	geometry,float8,float8	geometry	fiS
st_translate	geometry,float8,float8,float8	geometry	fiS
st_transscale	geometry,float8,float8,float8,float8	geometry	fiS
st_triangulatepolygon	geometry	geometry	fiS
st_unaryunion	geometry,float8	geometry	fiS1
st_union	_geometry	geometry	fiS
st_union	geometry	geometry	ai
st_union	geometry,float8	geometry	ai
st_union	geometry,geometry	geometry	fiS
st_union	geometry,geometry,float8	geometry	fiS
st_voronoilines	geometry,float8,geometry	geometry	fi2
st_voronoipolygons	geometry,float8,geometry	geometry	fi2
st_within	geometry,geometry	bool	fiS
st_wkbtosql	bytea	geometry	fiS
st_wkttosql	text	geometry	fiS
st_wrapx	geometry,float8,float8	geometry	fiS
st_x	geometry	float8	fiS
st_xmax	box3d	float8	fiS
st_xmin	box3d	float8	fiS
st_y	geometry	float8	fiS
st_ymax	box3d	float8	fiS
st_ymin	box3d	float8	fiS
st_z	geometry	float8	fiS
st_zmax	box3d	float8	fiS
st_zmflag	geometry	int2	fiS
st_zmin	box3d	float8	fiS
text	geometry	text	fiS
unlockrows	text	int4	fvS
updategeometrysrid	varchar,varchar,int4	text	fvS
updategeometrysrid	varchar,varchar,varchar,int4	text	fvS
updategeometrysrid	varchar,varchar,varchar,varchar,int4	text	fvS
`,
		"operators": `
&&	box2df	box2df	bool	overlaps_2d	s
&&	box2df	geometry	bool	overlaps_2d
&&	geography	geography	bool	geography_overlaps	s
&&	geography	gidx	bool	overlaps_geog
&&	geometry	box2df	bool	overlaps_2d
&&	geometry	geometry	bool	geometry_overlaps	s
&&	gidx	geography	bool	overlaps_geog
&&	gidx	gidx	bool	overlaps_geog	s
&&&	geometry	geometry	bool	geometry_overlaps_nd	s
&&&	geometry	gidx	bool	overlaps_nd
&&&	gidx	geometry	bool	overlaps_nd
&&&	gidx	gidx	bool	overlaps_nd	s
&/&	geometry	geometry	bool	geometry_overlaps_3d	s
&<	geometry	geometry	bool	geometry_overleft
&<|	geometry	geometry	bool	geometry_overbelow
&>	geometry	geometry	bool	geometry_overright
<	geography	geography	bool	geography_lt
<	geometry	geometry	bool	geometry_lt
<#>	geometry	geometry	float8	geometry_distance_box	s
<->	geography	geography	float8	geography_distance_knn	s
<->	geometry	geometry	float8	geometry_distance_centroid	s
<<	geometry	geometry	bool	geometry_left
<<->>	geometry	geometry	float8	geometry_distance_centroid_nd	s
<<@	geometry	geometry	bool	geometry_contained_3d
<<|	geometry	geometry	bool	geometry_below
<=	geography	geography	bool	geography_le
<=	geometry	geometry	bool	geometry_le
=	geography	geography	bool	geography_eq	s
=	geometry	geometry	bool	geometry_eq	s
>	geography	geography	bool	geography_gt
>	geometry	geometry	bool	geometry_gt
>=	geography	geography	bool	geography_ge
>=	geometry	geometry	bool	geometry_ge
>>	geometry	geometry	bool	geometry_right
@	box2df	box2df	bool	is_contained_2d
@	box2df	geometry	bool	is_contained_2d
@	geometry	box2df	bool	is_contained_2d
@	geometry	geometry	bool	geometry_within
@>>	geometry	geometry	bool	geometry_contains_3d
@@	geometry	geometry	bool	geometry_within_nd
|&>	geometry	geometry	bool	geometry_overabove
|=|	geometry	geometry	float8	geometry_distance_cpa	s
|>>	geometry	geometry	bool	geometry_above
~	box2df	box2df	bool	contains_2d
~	box2df	geometry	bool	contains_2d
~	geometry	box2df	bool	contains_2d
~	geometry	geometry	bool	geometry_contains
~=	geometry	geometry	bool	geometry_same
~==	geometry	geometry	bool	geometry_same_3d	s
~~	geometry	geometry	bool	geometry_contains_nd
~~=	geometry	geometry	bool	geometry_same_nd	s
`,
		"casts": `
box2d	box3d	if	box3d	1
box2d	geometry	if	geometry	1
box3d	box	if	box	1
box3d	box2d	if	box2d	1
box3d	geometry	if	geometry	1
bytea	geography	if	geography	1
bytea	geometry	if	geometry	1
geography	bytea	if	bytea	1
geography	geography	if	geography	3
geography	geometry	ef	geometry	1
geometry	box	af	box	1
geometry	box2d	if	box2d	1
geometry	box3d	if	box3d	1
geometry	bytea	if	bytea	1
geometry	geography	if	geography	1
geometry	geometry	if	geometry	3
geometry	json	ef	json	1
geometry	jsonb	ef	jsonb	1
geometry	path	ef	path	1
geometry	point	ef	point	1
geometry	polygon	ef	polygon	1
geometry	text	if	text	1
path	geometry	ef	geometry	1
point	geometry	ef	geometry	1
polygon	geometry	ef	geometry	1
text	geometry	if	geometry	1
`,
	},
}
