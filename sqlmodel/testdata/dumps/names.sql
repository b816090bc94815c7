
CREATE SCHEMA "Weird Schema"; CREATE TABLE "Weird Schema"."select" ("from" int, "Ünï" text, "a b" int, "a""q" int, PRIMARY KEY ("from", "a b"));
CREATE TABLE "user" ("order" int REFERENCES "user" DEFERRABLE, "group" int PRIMARY KEY, "table" text DEFAULT 'it''s E\n', "end" text DEFAULT E'a\tb'); 
CREATE TABLE "Weird Schema".c (a int, b int, FOREIGN KEY (a, b) REFERENCES "Weird Schema"."select" MATCH FULL ON DELETE SET NULL (a) NOT VALID);
INSERT INTO "user" VALUES (1,1,'x',NULL),(1,2,E'tab\there','y\\z'),(NULL,3,'','\\.'); CREATE TYPE "My Enum" AS ENUM ('a b','c''d'); CREATE TABLE "E" (e "My Enum"[] DEFAULT '{"a b"}', "1a" int, xmin2 int, "SELECT" int);
