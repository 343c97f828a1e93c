--
-- PostgreSQL database dump
--

\restrict UHInor4p4Z5U2JdfuaQQkoEaQzfti4Qpi8cct2Jdh6wGQKOpHMSKssqVwaZoicW

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: backcompat; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA backcompat;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: accounts; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    folded_name text NOT NULL,
    plan text NOT NULL,
    plan_since bigint NOT NULL,
    created bigint NOT NULL,
    disabled bigint
);


--
-- Name: api_keys; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    account text COLLATE pg_catalog."C",
    name text NOT NULL,
    plan text NOT NULL,
    prefix text NOT NULL,
    last4 text NOT NULL,
    hash bytea NOT NULL,
    counter text NOT NULL,
    plan_since bigint NOT NULL,
    operations text NOT NULL,
    networks text NOT NULL,
    created bigint NOT NULL,
    expires bigint,
    disabled bigint,
    revoked bigint,
    replaced_by text NOT NULL,
    last_used bigint,
    grace_end bigint,
    CONSTRAINT api_keys_hash_check CHECK ((length(hash) = 32))
);


--
-- Name: audit_events; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.audit_events (
    number bigint NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    account text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    address text NOT NULL
);


--
-- Name: audit_events_number_seq; Type: SEQUENCE; Schema: backcompat; Owner: -
--

ALTER TABLE backcompat.audit_events ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME backcompat.audit_events_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: failures; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.failures (
    number bigint NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    request_id text NOT NULL,
    operation text NOT NULL,
    status bigint NOT NULL,
    code text NOT NULL
);


--
-- Name: failures_number_seq; Type: SEQUENCE; Schema: backcompat; Owner: -
--

ALTER TABLE backcompat.failures ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME backcompat.failures_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: interview_requests; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.interview_requests (
    account text NOT NULL COLLATE pg_catalog."C",
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    holder text NOT NULL COLLATE pg_catalog."C",
    session text COLLATE pg_catalog."C",
    result bytea,
    expires bigint NOT NULL,
    CONSTRAINT interview_requests_fingerprint_check CHECK ((length(fingerprint) = 32))
);


--
-- Name: interviews; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.interviews (
    id text NOT NULL COLLATE pg_catalog."C",
    account text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    open bigint NOT NULL,
    expires bigint NOT NULL,
    data bytea NOT NULL
);


--
-- Name: links; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.links (
    id text NOT NULL COLLATE pg_catalog."C",
    token bytea NOT NULL,
    purpose text NOT NULL,
    email text NOT NULL,
    account text NOT NULL,
    plan text NOT NULL,
    role text NOT NULL,
    user_id text NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    made_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT links_token_check CHECK ((length(token) = 32))
);


--
-- Name: llm_days; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.llm_days (
    account text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    tokens bigint NOT NULL,
    words bigint NOT NULL
);


--
-- Name: quotas; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.quotas (
    subject text NOT NULL COLLATE pg_catalog."C",
    minute_start bigint NOT NULL,
    minute_used bigint NOT NULL,
    month_start bigint NOT NULL,
    month_used bigint NOT NULL
);


--
-- Name: schema_version; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.schema_version (
    one integer NOT NULL,
    version integer NOT NULL,
    CONSTRAINT schema_version_one_check CHECK ((one = 1))
);


--
-- Name: sessions; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.sessions (
    token text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL,
    expires bigint NOT NULL
);


--
-- Name: skill_verdicts; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.skill_verdicts (
    word_key text NOT NULL COLLATE pg_catalog."C",
    word text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    category text NOT NULL,
    near text NOT NULL,
    confidence double precision NOT NULL,
    made_by text NOT NULL,
    asked bigint NOT NULL,
    judged bigint NOT NULL,
    last_asked bigint NOT NULL,
    expires bigint NOT NULL
);


--
-- Name: usage_days; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.usage_days (
    key_id text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    operation text NOT NULL COLLATE pg_catalog."C",
    status bigint NOT NULL,
    requests bigint NOT NULL
);


--
-- Name: users; Type: TABLE; Schema: backcompat; Owner: -
--

CREATE TABLE backcompat.users (
    id text NOT NULL COLLATE pg_catalog."C",
    account text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL,
    role text NOT NULL,
    password text NOT NULL,
    created bigint NOT NULL,
    last_sign_in bigint,
    sessions bigint NOT NULL
);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.accounts VALUES ('acc_3TP4RVSFTXOE', 'Ärztehaus Online', 'ärztehaus online', 'enterprise', 1795360037589000, 1795360037589000, NULL);


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.api_keys VALUES ('key_MI19OBaJvt9B', 'acc_3TP4RVSFTXOE', 'Former website', 'enterprise', 'svc_ent_', 'Gz7u', '\x7b55f158d79bbdf7898b195e56574e1613e67769928981322029c78e6b0f4ba6', 'key_MI19OBaJvt9B', 1795360037589000, '', '', 1795360037762000, NULL, NULL, 1795360037767000, '', NULL, NULL);
INSERT INTO backcompat.api_keys VALUES ('key_cnytgGuSNMEA', 'acc_3TP4RVSFTXOE', 'Website', 'enterprise', 'svc_ent_', 'l0ag', '\x0f5b5441dc2d5339878865d71646cebe67f90da440583d462ee6ec263abe8c42', 'key_cnytgGuSNMEA', 1795360037589000, '', '', 1795360037749000, NULL, NULL, NULL, '', 1795360037817533, NULL);


--
-- Data for Name: audit_events; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (1, 1795360036775000, 'system', '', 'link.made', 'lnk_4K3LAOO7O2V4', 'setup', '');
INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (2, 1795360037589000, 'usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'account.created', 'acc_3TP4RVSFTXOE', '"Ärztehaus Online", plan enterprise', '127.0.0.1');
INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (3, 1795360037589000, 'usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'user.created', 'usr_2T6JVCTOVI52', 'ada@example.com, administrator', '127.0.0.1');
INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (4, 1795360037749000, 'usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'key.created', 'key_cnytgGuSNMEA', '"Website" svc_ent_…l0ag, plan enterprise, any operation, any network, never expires', '127.0.0.1');
INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (5, 1795360037762000, 'usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'key.created', 'key_MI19OBaJvt9B', '"Former website" svc_ent_…Gz7u, plan enterprise, any operation, any network, never expires', '127.0.0.1');
INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (6, 1795360037767000, 'usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'key.revoked', 'key_MI19OBaJvt9B', '"Former website" svc_ent_…Gz7u', '127.0.0.1');
INSERT INTO backcompat.audit_events OVERRIDING SYSTEM VALUE VALUES (7, 1795360037793000, 'usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'link.made', 'lnk_T3GY5FV6R3HQ', 'invitation for grace@example.com as member', '127.0.0.1');


--
-- Data for Name: failures; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.failures OVERRIDING SYSTEM VALUE VALUES (1, 'key_cnytgGuSNMEA', 1795360037816590, 'slmwh55h5glfrhqqy3wbxe7htn', 'match', 422, 'validation_failed');


--
-- Data for Name: interview_requests; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.interview_requests VALUES ('acc_3TP4RVSFTXOE', 'backcompat /api/v1/interview', '\x985995b5ae93c4c1fcebc3d45c85aaf9981e691ea0098c2a61b4086bf1069f1c', 'ccf17d112fa392970dec0e27b4eb5942', '91f35c8801cc4d20107d6c52a27e6e0d', '\x7b22467265656c616e636572223a7b224944223a226631222c224e616d65223a22536574616e2048616c696e6f222c224a6f625469746c65223a224172636869746563747572616c2044726166746572207c204172636869746563747572616c2044657369676e2c2033442052656e646572696e67227d2c224d6f6465223a22637573746f6d5f66756c6c222c2253657373696f6e4944223a223931663335633838303163633464323031303764366335326132376536653064222c225374617465223a226576616c7561746564222c224c616e6775616765223a22656e222c225175657374696f6e73223a5b7b224944223a227131222c2254657874223a22486f7720646f20796f7520636865636b20612064726177696e673f222c22536b696c6c223a22222c224b696e64223a22222c22446966666963756c7479223a22222c224578706563746564223a224d656173757265732074776963652e222c22506f696e7473223a6e756c6c2c22416e63686f7273223a6e756c6c2c22466f6c6c6f77557073223a6e756c6c2c2257656967687473223a7b22636f6d6d756e69636174696f6e223a33302c22657870657269656e6365223a33302c22746563686e6963616c223a34307d2c224279223a22636c69656e74227d5d2c22416e7377657273223a5b7b225175657374696f6e223a227131222c2254657874223a2249206d6561737572652074776963652c20636f6d70617265206974207769746820746865207375727665792c20616e64206c6574206120636f6c6c656167756520726561642069742e222c224174223a22323032362d31312d32325431353a30373a31372e3832323738375a227d5d2c224576616c756174696f6e223a7b2253636f726573223a5b7b225175657374696f6e223a227131222c22416e737765726564223a747275652c2256616c7565223a35382c224d61726b73223a5b7b22437269746572696f6e223a22746563686e6963616c222c224c6576656c223a352c2245766964656e6365223a5b2249206d6561737572652074776963652c20636f6d70617265206974207769746820746865207375727665792c20616e64206c6574206120636f6c6c656167756520726561642069742e225d7d2c7b22437269746572696f6e223a22657870657269656e6365222c224c6576656c223a312c2245766964656e6365223a6e756c6c7d2c7b22437269746572696f6e223a22636f6d6d756e69636174696f6e222c224c6576656c223a322c2245766964656e6365223a6e756c6c7d5d2c22556e6d65617375726564223a6e756c6c2c22466565646261636b223a225468657365206d61726b7320636f6d652066726f6d20636f756e74696e672c20776974686f75742061206c616e6775616765206d6f64656c2c20616e6420617265206e6f74206120766572646963742e2054686520616e73776572206d656e74696f6e732031206f66203120657870656374656420706f696e74732e20313420776f7264732061726520696e2073656e74656e636573207769746820737065636966696320636f6e74656e742e222c22537472656e67746873223a6e756c6c2c22496d70726f76656d656e7473223a5b224465736372696265207768617420796f752064696420796f757273656c6620696e206120737065636966696320636173652e222c2244657363726962652074686520726573756c742c2077697468206120666967757265206966207468657265206973206f6e652e225d2c22436f7665726564223a6e756c6c2c2252656d61726b73223a6e756c6c2c224279223a226f66666c696e65227d5d2c224f766572616c6c223a35382c2245766964656e6365223a5b7b225175657374696f6e223a227131222c22437269746572696f6e223a22746563686e6963616c222c2254657874223a2249206d6561737572652074776963652c20636f6d70617265206974207769746820746865207375727665792c20616e64206c6574206120636f6c6c656167756520726561642069742e227d5d2c22537472656e67746873223a6e756c6c2c22496d70726f76656d656e7473223a5b224465736372696265207768617420796f752064696420796f757273656c6620696e206120737065636966696320636173652e222c2244657363726962652074686520726573756c742c2077697468206120666967757265206966207468657265206973206f6e652e225d2c225265636f6d6d656e646174696f6e223a6e756c6c2c22526561736f6e223a226e6f207265636f6d6d656e646174696f6e3a20746865206d6574686f64205c226f66666c696e655c2220636f756e747320776f72647320616e642066616374733b206974732073636f72657320617265206e6f7420612076657264696374222c224d6574686f64223a226f66666c696e65222c2256657264696374223a66616c73652c22436f6e666964656e6365223a302e31372c224174223a22323032362d31312d32325431353a30373a31372e3832323936395a227d2c2247656e6572617465644279223a22636c69656e74222c2244657269766564536b696c6c73223a6e756c6c2c22556e6b6e6f776e536b696c6c73223a6e756c6c2c2252656d61726b73223a6e756c6c2c22426567756e223a22323032362d31312d32325431353a30373a31372e3832323636355a222c2245787069726573223a22323032362d31322d32325431353a30373a31372e3832323936395a227d', 1795446437823189);


--
-- Data for Name: interviews; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.interviews VALUES ('91f35c8801cc4d20107d6c52a27e6e0d', 'acc_3TP4RVSFTXOE', 1, 0, 1797952037822969, '\x7b22466f726d6174223a312c224b696e64223a22637573746f6d5f66756c6c222c225375626a656374223a7b2250726f6a656374223a22222c224a6f625469746c65223a22222c22536b696c6c73223a5b7b224944223a226175746f636164222c224e616d65223a224175746f434144222c2243617465676f7279223a22456e67696e656572696e67222c22476170223a66616c73657d5d2c22467265656c616e636572223a7b224944223a226631222c224e616d65223a22536574616e2048616c696e6f222c224a6f625469746c65223a224172636869746563747572616c2044726166746572207c204172636869746563747572616c2044657369676e2c2033442052656e646572696e67222c224465736372697074696f6e223a2249206c6566742061206d757365756d206465706f7420666f72204175746f63616420616e64206e65766572206c6f6f6b6564206261636b2e204275696c6465727320707261697365206d792064726177696e67732062656361757365206e6f7468696e67206973206c65667420746f2067756573732e2053696e6365206c656176696e672061206368656d6973747279206465706172746d656e742049206861766520736572766564207075626c6973686572732c2077696e657269657320616e642074726176656c206167656e636965732e2052656c6961626c652c20646973637265657420616e64206861726420746f20666c75737465723a20746861742069732074686520666565646261636b20492068656172206d6f73742e2049206675726e69736865642073686f7020696e746572696f727320666f7220666c6f72697374732066726f6d20666c61742d7061636b20616e6420666c6561206d61726b65742e2049207761732063616c6c656420696e207768656e204d616c656b6f20436f6c6c656374697665207374727567676c65642077697468206461726b20636f727269646f72732e2049207374756469656420696e20746865206576656e696e6773207768696c6520776f726b696e6720696e20612063617220706c616e742e2043757272656e746c79206f70656e20746f206f6e65206d6f7265206c6f6e672d7465726d20636c69656e742e222c22536b696c6c73223a5b224175746f636164222c224172636869746563747572616c2044657369676e222c2233442052656e646572696e67225d2c22457870657269656e6365223a387d2c224c616e6775616765223a22656e222c2257656967687473223a7b22636f6d6d756e69636174696f6e223a33302c22657870657269656e6365223a33302c22746563686e6963616c223a34307d2c2253656564223a31303531363835313239343035353731343038307d2c22506c616e6e6564223a352c225175657374696f6e73223a5b7b224944223a227131222c2254657874223a22486f7720646f20796f7520636865636b20612064726177696e673f222c22536b696c6c223a22222c224b696e64223a22222c22446966666963756c7479223a22222c224578706563746564223a224d656173757265732074776963652e222c22506f696e7473223a6e756c6c2c22416e63686f7273223a6e756c6c2c22466f6c6c6f77557073223a6e756c6c2c2257656967687473223a7b22636f6d6d756e69636174696f6e223a33302c22657870657269656e6365223a33302c22746563686e6963616c223a34307d2c224279223a22636c69656e74227d5d2c22416e7377657273223a5b7b225175657374696f6e223a227131222c2254657874223a2249206d6561737572652074776963652c20636f6d70617265206974207769746820746865207375727665792c20616e64206c6574206120636f6c6c656167756520726561642069742e222c224174223a22323032362d31312d32325431353a30373a31372e3832323738375a227d5d2c2253636f726573223a6e756c6c2c224576616c756174696f6e223a7b2253636f726573223a5b7b225175657374696f6e223a227131222c22416e737765726564223a747275652c2256616c7565223a35382c224d61726b73223a5b7b22437269746572696f6e223a22746563686e6963616c222c224c6576656c223a352c2245766964656e6365223a5b2249206d6561737572652074776963652c20636f6d70617265206974207769746820746865207375727665792c20616e64206c6574206120636f6c6c656167756520726561642069742e225d7d2c7b22437269746572696f6e223a22657870657269656e6365222c224c6576656c223a312c2245766964656e6365223a6e756c6c7d2c7b22437269746572696f6e223a22636f6d6d756e69636174696f6e222c224c6576656c223a322c2245766964656e6365223a6e756c6c7d5d2c22556e6d65617375726564223a6e756c6c2c22466565646261636b223a225468657365206d61726b7320636f6d652066726f6d20636f756e74696e672c20776974686f75742061206c616e6775616765206d6f64656c2c20616e6420617265206e6f74206120766572646963742e2054686520616e73776572206d656e74696f6e732031206f66203120657870656374656420706f696e74732e20313420776f7264732061726520696e2073656e74656e636573207769746820737065636966696320636f6e74656e742e222c22537472656e67746873223a6e756c6c2c22496d70726f76656d656e7473223a5b224465736372696265207768617420796f752064696420796f757273656c6620696e206120737065636966696320636173652e222c2244657363726962652074686520726573756c742c2077697468206120666967757265206966207468657265206973206f6e652e225d2c22436f7665726564223a6e756c6c2c2252656d61726b73223a6e756c6c2c224279223a226f66666c696e65227d5d2c224f766572616c6c223a35382c2245766964656e6365223a5b7b225175657374696f6e223a227131222c22437269746572696f6e223a22746563686e6963616c222c2254657874223a2249206d6561737572652074776963652c20636f6d70617265206974207769746820746865207375727665792c20616e64206c6574206120636f6c6c656167756520726561642069742e227d5d2c22537472656e67746873223a6e756c6c2c22496d70726f76656d656e7473223a5b224465736372696265207768617420796f752064696420796f757273656c6620696e206120737065636966696320636173652e222c2244657363726962652074686520726573756c742c2077697468206120666967757265206966207468657265206973206f6e652e225d2c225265636f6d6d656e646174696f6e223a6e756c6c2c22526561736f6e223a226e6f207265636f6d6d656e646174696f6e3a20746865206d6574686f64205c226f66666c696e655c2220636f756e747320776f72647320616e642066616374733b206974732073636f72657320617265206e6f7420612076657264696374222c224d6574686f64223a226f66666c696e65222c2256657264696374223a66616c73652c22436f6e666964656e6365223a302e31372c224174223a22323032362d31312d32325431353a30373a31372e3832323936395a227d2c2244657269766564536b696c6c73223a6e756c6c2c22556e6b6e6f776e536b696c6c73223a6e756c6c2c224e6f7469636573223a6e756c6c2c22426567756e223a22323032362d31312d32325431353a30373a31372e3832323636355a227d');


--
-- Data for Name: links; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.links VALUES ('lnk_T3GY5FV6R3HQ', '\x7cc926912934ce669eb327f5f4e674cc3128edcda7867ae493a92194e03cf69f', 'invitation', 'grace@example.com', 'acc_3TP4RVSFTXOE', '', 'member', '', 1795360037793000, 1795964837793000, 'usr_2T6JVCTOVI52');


--
-- Data for Name: llm_days; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.llm_days VALUES ('acc_1', '2026-11-22', 0, 1);


--
-- Data for Name: quotas; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.quotas VALUES ('key_cnytgGuSNMEA', 1795360020000000, 1, 1795360037589000, 1);


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.schema_version VALUES (1, 4);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.sessions VALUES ('NNnGJSvXzq-9Tni5JOgEHAvM5UDdp8VHk2KjHEEUpHw', '\x257f030102ff800001020108446561646c696e6501ff8200010656616c75657301ff8400000010ff810501010454696d6501ff8200000027ff83040101176d61705b737472696e675d696e74657266616365207b7d01ff8400010c011000005cff80010f010000000ee29e36a5250434a0ffff0103047573657206737472696e670c1200107573725f3254364a5643544f564935320a67656e65726174696f6e03696e7404020000047365656e05696e743634040600fcd6060a4a00', 1795964837621032);


--
-- Data for Name: skill_verdicts; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.skill_verdicts VALUES ('zeplin', 'Zeplin', 'skill', 'Zeplin', 'design', 'figma', 0.75, 'a model', 1, 1795360038018189, 1795360038018189, 1797952038018189);


--
-- Data for Name: usage_days; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.usage_days VALUES ('key_cnytgGuSNMEA', 1795305600000000, 'match', 200, 1);
INSERT INTO backcompat.usage_days VALUES ('key_cnytgGuSNMEA', 1795305600000000, 'match', 422, 1);
INSERT INTO backcompat.usage_days VALUES ('key_cnytgGuSNMEA', 1795305600000000, 'interview', 200, 1);


--
-- Data for Name: users; Type: TABLE DATA; Schema: backcompat; Owner: -
--

INSERT INTO backcompat.users VALUES ('usr_2T6JVCTOVI52', 'acc_3TP4RVSFTXOE', 'ada@example.com', 'administrator', '$argon2id$v=19$m=19456,t=2,p=1$ZcljyQMmV8tMRiTEst7ZRw$Qn8bCCFn0ew5gP3TIynKrjpFWYY4ZHP6nscejqLR54A', 1795360037589000, NULL, 0);


--
-- Name: audit_events_number_seq; Type: SEQUENCE SET; Schema: backcompat; Owner: -
--

SELECT pg_catalog.setval('backcompat.audit_events_number_seq', 7, true);


--
-- Name: failures_number_seq; Type: SEQUENCE SET; Schema: backcompat; Owner: -
--

SELECT pg_catalog.setval('backcompat.failures_number_seq', 1, true);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: api_keys api_keys_hash_key; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: audit_events audit_events_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (number);


--
-- Name: failures failures_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.failures
    ADD CONSTRAINT failures_pkey PRIMARY KEY (number);


--
-- Name: interview_requests interview_requests_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.interview_requests
    ADD CONSTRAINT interview_requests_pkey PRIMARY KEY (account, idempotency_key);


--
-- Name: interviews interviews_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.interviews
    ADD CONSTRAINT interviews_pkey PRIMARY KEY (id);


--
-- Name: links links_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (id);


--
-- Name: links links_token_key; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.links
    ADD CONSTRAINT links_token_key UNIQUE (token);


--
-- Name: llm_days llm_days_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.llm_days
    ADD CONSTRAINT llm_days_pkey PRIMARY KEY (account, day);


--
-- Name: quotas quotas_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.quotas
    ADD CONSTRAINT quotas_pkey PRIMARY KEY (subject);


--
-- Name: schema_version schema_version_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (one);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token);


--
-- Name: skill_verdicts skill_verdicts_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.skill_verdicts
    ADD CONSTRAINT skill_verdicts_pkey PRIMARY KEY (word_key);


--
-- Name: usage_days usage_days_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.usage_days
    ADD CONSTRAINT usage_days_pkey PRIMARY KEY (key_id, day, operation, status);


--
-- Name: users users_email_key; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.users
    ADD CONSTRAINT users_email_key UNIQUE (email);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: accounts_created; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX accounts_created ON backcompat.accounts USING btree (created);


--
-- Name: api_keys_account; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX api_keys_account ON backcompat.api_keys USING btree (COALESCE(account, ''::text));


--
-- Name: audit_events_account; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX audit_events_account ON backcompat.audit_events USING btree (account, at);


--
-- Name: audit_events_at; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX audit_events_at ON backcompat.audit_events USING btree (at);


--
-- Name: failures_at; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX failures_at ON backcompat.failures USING btree (at);


--
-- Name: failures_key; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX failures_key ON backcompat.failures USING btree (key_id, at);


--
-- Name: interview_requests_expires; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX interview_requests_expires ON backcompat.interview_requests USING btree (expires);


--
-- Name: interview_requests_session; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX interview_requests_session ON backcompat.interview_requests USING btree (session);


--
-- Name: interviews_expires; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX interviews_expires ON backcompat.interviews USING btree (expires);


--
-- Name: interviews_open; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX interviews_open ON backcompat.interviews USING btree (account, expires) WHERE (open = 1);


--
-- Name: links_replace; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE UNIQUE INDEX links_replace ON backcompat.links USING btree (purpose, user_id) WHERE (purpose <> 'invitation'::text);


--
-- Name: llm_days_day; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX llm_days_day ON backcompat.llm_days USING btree (day);


--
-- Name: sessions_expires; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX sessions_expires ON backcompat.sessions USING btree (expires);


--
-- Name: skill_verdicts_expires; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX skill_verdicts_expires ON backcompat.skill_verdicts USING btree (expires);


--
-- Name: usage_days_day; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX usage_days_day ON backcompat.usage_days USING btree (day);


--
-- Name: users_account; Type: INDEX; Schema: backcompat; Owner: -
--

CREATE INDEX users_account ON backcompat.users USING btree (account);


--
-- Name: api_keys api_keys_account_fkey; Type: FK CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.api_keys
    ADD CONSTRAINT api_keys_account_fkey FOREIGN KEY (account) REFERENCES backcompat.accounts(id);


--
-- Name: failures failures_key_id_fkey; Type: FK CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.failures
    ADD CONSTRAINT failures_key_id_fkey FOREIGN KEY (key_id) REFERENCES backcompat.api_keys(id);


--
-- Name: interview_requests interview_requests_session_fkey; Type: FK CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.interview_requests
    ADD CONSTRAINT interview_requests_session_fkey FOREIGN KEY (session) REFERENCES backcompat.interviews(id) ON DELETE CASCADE;


--
-- Name: usage_days usage_days_key_id_fkey; Type: FK CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.usage_days
    ADD CONSTRAINT usage_days_key_id_fkey FOREIGN KEY (key_id) REFERENCES backcompat.api_keys(id);


--
-- Name: users users_account_fkey; Type: FK CONSTRAINT; Schema: backcompat; Owner: -
--

ALTER TABLE ONLY backcompat.users
    ADD CONSTRAINT users_account_fkey FOREIGN KEY (account) REFERENCES backcompat.accounts(id);


--
-- PostgreSQL database dump complete
--

\unrestrict UHInor4p4Z5U2JdfuaQQkoEaQzfti4Qpi8cct2Jdh6wGQKOpHMSKssqVwaZoicW

