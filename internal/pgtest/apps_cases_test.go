package pgtest_test

const bankRows = `
INSERT INTO account VALUES ('ann', 1), ('bob', 2);
INSERT INTO saving VALUES (1, 0), (2, 0);
INSERT INTO checking VALUES (1, 0), (2, 0);`

var bankCalls = []string{
	"SELECT deposit_checking('ann', 10)",
	"SELECT transact_saving('ann', 20)",
	"SELECT write_check('ann', 5)",
	"SELECT amalgamate('ann', 'bob')",
	"SELECT balance('bob')",
}

// overdraft: the customer sees the deposit on saving, and is then fined as if
// it had not been there.
const overdraft = `
	A: BEGIN
	A: SELECT 1
	B: BEGIN
	B: SELECT transact_saving('ann', 20)
	B: COMMIT
	C: BEGIN
	C: SELECT balance('ann')                 -> 20
	C: COMMIT
	A: SELECT write_check('ann', 10)
	A: COMMIT
	Z: SELECT bal FROM checking WHERE cust_id = 1 -> -11`

const bankCycle = "write_check,transact_saving,balance"

const courseRows = `
INSERT INTO student VALUES (7, 'sue');
INSERT INTO course VALUES (1, 'logic');`

var courseCalls = []string{
	"SELECT register_student(8, 'tom')",
	"SELECT add_course(2, 'sets')",
	"SELECT enroll_student(8, 1)",
	"SELECT remove_course(2)",
	"SELECT * FROM query_courses()",
}

const enrolLate = `
	A: BEGIN
	A: SELECT 1
	B: BEGIN
	B: SELECT remove_course(1)
	B: COMMIT
	A: SELECT enroll_student(7, 1)
	A: COMMIT
	Z: SELECT (SELECT count(*) FROM course), (SELECT count(*) FROM enrolled) -> 0, 1`

const removeLate = `
	A: BEGIN
	A: SELECT 1
	B: BEGIN
	B: SELECT enroll_student(7, 1)
	B: COMMIT
	A: SELECT remove_course(1)
	A: COMMIT
	Z: SELECT (SELECT count(*) FROM course), (SELECT count(*) FROM enrolled) -> 0, 1`

const auctionRows = `INSERT INTO items VALUES (1, 'lamp', 0);`

var auctionCalls = []string{
	"SELECT reg_user(1, 'ann')",
	"SELECT reg_bid(1, 1, 50)",
	"SELECT * FROM view_item(1)",
	"SELECT view_user(1)",
	"SELECT * FROM view_users()",
}

// tpccRows is a warehouse with two districts of one customer each; the second
// district has one order, which is not delivered.
const tpccRows = `
INSERT INTO warehouse VALUES (1, 'main', 0.1, 0);
` + tpccRest

// tpccExtendedRows also has the columns that the extension adds.
const tpccExtendedRows = `
INSERT INTO warehouse VALUES (1, 'main', 0.1, 0, 0);
` + tpccRest

const tpccRest = `
INSERT INTO district VALUES (1, 1, 'east', 0.1, 0, 1), (1, 2, 'west', 0.1, 0, 2);
INSERT INTO customer VALUES
  (1, 1, 1, 'mary', 'smith', 'GC', 0, 0, 0, 0, 0, ''),
  (1, 2, 1, 'mary', 'smith', 'BC', 0, 0, 0, 0, 0, '');
INSERT INTO item VALUES (7, 'lamp', 5, ''), (8, 'rug', 9, '');
INSERT INTO stock VALUES
  (1, 7, 50, 0, 0, 0, '', '', '', '', '', '', '', '', '', '', ''),
  (1, 8, 50, 0, 0, 0, '', '', '', '', '', '', '', '', '', '', '');
INSERT INTO oorder VALUES (1, 2, 1, 1, NULL, 1, '2020-01-01 00:00:00+00');
INSERT INTO order_line VALUES (1, 2, 1, 1, 8, 1, 2, 18, NULL, '');
INSERT INTO new_order VALUES (1, 2, 1);`

func tpccCalls(payment, orderStatus, delivery string, more ...string) []string {
	return append([]string{
		"SELECT * FROM new_order(1, 1, 1, '{7,8}', '{1,1}', '{3,4}')",
		payment,
		orderStatus,
		delivery,
		"SELECT stock_level(1, 1, 100)",
	}, more...)
}

const (
	paymentByName = "SELECT * FROM payment(1, 1, 1, 1, 2, NULL, 'smith', 7)"
	paymentByID   = "SELECT * FROM payment(1, 1, 1, 1, 2, 1, 7)"
	statusByName  = "SELECT * FROM order_status(1, 2, NULL, 'smith')"
	statusByID    = "SELECT * FROM order_status(1, 2, 1)"
	deliverOne    = "SELECT delivery(1, 2, 5)"
	addProduct    = "SELECT add_product(9, 'pot', 3, 1, 10)"
	addWarehouse  = "SELECT add_warehouse('north', 0.2)"
	addCustomer   = "SELECT add_customer(1, 2, 2, 'ada', 'smith', 'GC', 0.05)"
	numberTwo     = "UPDATE warehouse_counter SET next_w_id = 2;"
)

var playlistCalls = []string{
	"SELECT add_track('00000000-0000-0000-0000-000000000002', 'two', 'Zoe', 'jazz', 200, 'two.ogg')",
	"SELECT * FROM get_track('00000000-0000-0000-0000-000000000002')",
	"SELECT list_artist_by_letter('Z')",
	"SELECT * FROM list_songs_by_artist('Zoe')",
	"SELECT * FROM list_songs_by_genre('jazz', 5)",
	"SELECT add_user('ann', 'secret')",
	"SELECT * FROM get_user('ann')",
	"SELECT create_play_list('ann', 'best')",
	"SELECT get_playlist_names('ann')",
	"SELECT add_track_to_playlist('ann', 'best', '00000000-0000-0000-0000-000000000002')",
	"SELECT get_playlist_for_user('ann', 'best')",
	"SELECT delete_track_from_playlist('ann', 'best', 0)",
	"SELECT delete_play_list_for_user('ann', 'best')",
	"SELECT delete_user('ann')",
}

var bookingCalls = []string{
	"SELECT book(9, 1, '2024-05-09 10:00', '2024-05-09 12:00')",
	"SELECT * FROM bookings(1)",
	"SELECT cancel(9)",
}

var applications = []application{
	{folder: "auction", rows: auctionRows, calls: auctionCalls,
		// Two bids on one item: the later one fails.
		refused: []string{`
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT reg_bid(1, 1, 50)
			B: COMMIT
			A: SELECT reg_bid(2, 1, 60) -> 40001
			A: COMMIT                   -> ROLLBACK`}},
	{folder: "auction-nickname", rows: auctionRows, calls: auctionCalls, anomalies: []anomaly{
		{cycle: "reg_user,reg_user", repairs: []string{"auction-nickname-unique"}, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT reg_user(2, 'ann')
			B: COMMIT
			A: SELECT reg_user(1, 'ann')
			A: COMMIT
			Z: SELECT count(*) FROM users WHERE name = 'ann' -> 2`}}},
	{folder: "auction-nickname-unique", rows: auctionRows, calls: auctionCalls},
	{folder: "booking", calls: bookingCalls, anomalies: []anomaly{
		{cycle: "book,book", repairs: []string{"booking-exclude"}, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT book(2, 1, '2024-05-01 10:00', '2024-05-01 12:00') -> t
			B: COMMIT
			A: SELECT book(1, 1, '2024-05-01 11:00', '2024-05-01 13:00') -> t
			A: COMMIT
			Z: SELECT count(*) FROM booking -> 2`}}},
	{folder: "booking-exclude", calls: bookingCalls},
	{folder: "cassieq", calls: []string{
		"SELECT add_new_account('ann', 'r1', 'r2')",
		"SELECT add_new_key('ann', 'third', 'r3')",
		"SELECT delete_a_key('ann', 'primary')",
		"SELECT * FROM get_an_account('ann')",
		"SELECT * FROM get_accounts()",
		"SELECT get_account_keys('ann')",
		"SELECT get_account_key('ann', 'third')",
		"SELECT delete_an_account('ann')"}},
	{folder: "courseware", rows: courseRows, calls: courseCalls, anomalies: []anomaly{
		{cycle: "enroll_student,remove_course", script: enrolLate,
			repairs: []string{"courseware-fk", "courseware-touch", "courseware-lock", "courseware-lock-keyshare"}},
		{cycle: "remove_course,enroll_student", script: removeLate,
			repairs: []string{"courseware-fk", "courseware-touch"}}}},
	{folder: "courseware-fk", rows: courseRows, calls: courseCalls},
	{folder: "courseware-touch", rows: courseRows, calls: courseCalls},
	{folder: "courseware-lock", rows: courseRows, calls: courseCalls, anomalies: []anomaly{
		{cycle: "remove_course,enroll_student", script: removeLate}}},
	{folder: "courseware-lock-keyshare", rows: courseRows, calls: courseCalls, anomalies: []anomaly{
		{cycle: "remove_course,enroll_student", script: removeLate}}},
	{folder: "currency", calls: []string{
		"SELECT save_trade('00000000-0000-0000-0000-000000000001', 'ann', 'EUR', 'GBP', 100, 85.5, 0.855, '2020-01-02', 'FR')",
		"SELECT * FROM view_list_trades('2020-01-01')",
		"SELECT * FROM view_trade('00000000-0000-0000-0000-000000000001')",
		"SELECT view_trade_user('00000000-0000-0000-0000-000000000001')",
		"SELECT get_nb_trades()",
		"SELECT get_trade_time_stamp('00000000-0000-0000-0000-000000000001')"}},
	{folder: "fusionticket", calls: []string{
		"SELECT add_event(1, 'hall', 2)",
		"SELECT * FROM view_event(1)",
		"SELECT * FROM browse('hall')",
		"SELECT purchase(1)"}},
	{folder: "playlist", calls: playlistCalls},
	{folder: "playlist-deletetrack",
		rows: `
			INSERT INTO tracks VALUES ('00000000-0000-0000-0000-000000000001', 'one', 'Zoe', 'jazz', 100, 'one.ogg');
			INSERT INTO users VALUES ('bob', 'secret', '{best}', '{}');`,
		calls: append([]string{"SELECT delete_track('00000000-0000-0000-0000-000000000001')"}, playlistCalls...),
		harmless: []string{`
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT delete_track('00000000-0000-0000-0000-000000000001')
			B: COMMIT
			C: BEGIN
			C: SELECT get_playlist_for_user('bob', 'best') -> NULL
			C: COMMIT
			A: SELECT add_track_to_playlist('bob', 'best', '00000000-0000-0000-0000-000000000001')
			A: COMMIT`}},
	{folder: "roomstore", calls: []string{
		"SELECT add_message('2020-01-01', 'go', '2020-01-01 10:00', 'ann', 'hello hello world', '{hello,hello,world}')",
		"SELECT get_last_message('go', 'ann')",
		"SELECT * FROM get_messages('go', '2020-01-01')",
		"SELECT * FROM get_specific_message('2020-01-01', 'go', '2020-01-01 10:00')",
		"SELECT * FROM get_topic_messages('go', 'world')"}},
	{folder: "shoppingcart",
		rows: `
			INSERT INTO products_by_upc VALUES ('u1', 'lamp', 'a lamp', 5);
			INSERT INTO instockcounter_by_upc VALUES ('u1', 3);`,
		calls: []string{
			"SELECT * FROM get_user('ann')",
			"SELECT * FROM get_categories()",
			"SELECT * FROM get_products_by_category(1)",
			"SELECT * FROM get_product_by_upc('u1')"}},
	{folder: "smallbank", rows: bankRows, calls: bankCalls, anomalies: []anomaly{
		{cycle: bankCycle, script: overdraft,
			repairs: []string{"smallbank-promote-wt", "smallbank-promote-bw", "smallbank-lock-wt"}}},
		harmless: []string{
			// Without the query, nobody can tell that the deposit came first.
			`A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT transact_saving('ann', 20)
			B: COMMIT
			A: SELECT write_check('ann', 10)
			A: COMMIT`}},
	{folder: "smallbank-promote-wt", rows: bankRows, calls: bankCalls},
	{folder: "smallbank-promote-bw", rows: bankRows, calls: bankCalls},
	{folder: "smallbank-lock-wt", rows: bankRows, calls: bankCalls, harmless: []string{
		// The lock comes first: the deposit waits, and comes after the check.
		`B: BEGIN
		B: SELECT 1
		C: BEGIN
		C: SELECT 1
		A: BEGIN
		A: SELECT write_check('ann', 10)
		B: SELECT transact_saving('ann', 20)     -> blocks, ''
		C: SELECT balance('ann')                 -> 0
		A: COMMIT
		B: COMMIT
		C: COMMIT`}},
	{folder: "smallbank-lock-bal", rows: bankRows, calls: bankCalls, anomalies: []anomaly{
		{cycle: bankCycle, script: overdraft}}},
	{folder: "tpcc", rows: tpccRows, calls: tpccCalls(paymentByName, statusByName, deliverOne),
		harmless: []string{
			// The schedule that shows the anomaly of tpcc-all.
			`A: BEGIN
			A: SELECT 1
			E: BEGIN
			E: SELECT 1
			B: BEGIN
			B: SELECT * FROM new_order(1, 1, 1, '{7}', '{1}', '{3}')
			B: COMMIT
			C: BEGIN
			C: SELECT * FROM new_order(1, 2, 1, '{7}', '{1}', '{4}')
			C: COMMIT
			D: BEGIN
			D: SELECT r_balance, r_o_id FROM order_status(1, 2, 1, NULL) -> 0, 2
			D: COMMIT
			A: SELECT delivery(1, 1, 5)          -> NULL
			A: COMMIT
			E: SELECT delivery(1, 2, 5)          -> 1
			E: COMMIT`,
			// Rows shared by tax and sales, number and sales: other columns.
			`A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT * FROM payment(1, 1, 2, 1, 2, 1, NULL, 7)
			B: COMMIT
			C: BEGIN
			C: SELECT stock_level(1, 2, 48)      -> 0
			C: COMMIT
			A: SELECT * FROM new_order(1, 1, 1, '{8}', '{1}', '{4}')
			A: COMMIT`}},
	{folder: "tpcc-all", rows: tpccRows, calls: tpccCalls(paymentByName, statusByName, "SELECT delivery(1, 5)"), anomalies: []anomaly{
		{cycle: "delivery,new_order,new_order,order_status", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT * FROM new_order(1, 1, 1, '{7}', '{1}', '{3}')
			B: COMMIT
			C: BEGIN
			C: SELECT * FROM new_order(1, 2, 1, '{7}', '{1}', '{4}')
			C: COMMIT
			D: BEGIN
			D: SELECT * FROM order_status(1, 2, 1, NULL)
			D: COMMIT
			A: SELECT delivery(1, 5) -> NULL | 1 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL
			A: COMMIT`}}},
	{folder: "tpcc-extended", rows: tpccExtendedRows + numberTwo,
		calls: tpccCalls(paymentByID, statusByID, deliverOne, addProduct, addWarehouse, addCustomer),
		refused: []string{`
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT add_warehouse('north', 0.2)  -> 2
			B: COMMIT
			A: SELECT add_warehouse('south', 0.2)  -> 40001
			A: COMMIT                              -> ROLLBACK`},
		harmless: []string{`
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT add_customer(1, 2, 2, 'ada', 'smith', 'GC', 0)
			B: COMMIT
			C: BEGIN
			C: SELECT * FROM new_order(1, 2, 2, '{7}', '{1}', '{3}')
			C: COMMIT
			A: SELECT add_warehouse('north', 0.2)  -> 2
			A: COMMIT`}},
	{folder: "tpcc-extended-count", rows: tpccExtendedRows,
		calls: tpccCalls(paymentByID, statusByID, deliverOne, addProduct, "SELECT add_warehouse(2, 'north', 0.2)", addCustomer),
		anomalies: []anomaly{
			{cycle: "add_warehouse,add_warehouse", script: `
				A: BEGIN
				A: SELECT 1
				B: BEGIN
				B: SELECT add_warehouse(2, 'north', 0.2)
				B: COMMIT
				A: SELECT add_warehouse(3, 'south', 0.2)
				A: COMMIT
				Z: SELECT w_backlog FROM warehouse WHERE w_id > 1 -> -29998 | -29998`}}},
	{folder: "tpcc-extended-stock", rows: tpccExtendedRows + numberTwo,
		calls: tpccCalls(paymentByID, statusByID, deliverOne, "SELECT add_product(9, 'pot', 3, 10)", addWarehouse, addCustomer),
		anomalies: []anomaly{
			{cycle: "add_product,add_warehouse", script: `
				A: BEGIN
				A: SELECT 1
				B: BEGIN
				B: SELECT add_warehouse('north', 0.2)
				B: COMMIT
				A: SELECT add_product(9, 'pot', 3, 10)
				A: COMMIT
				Z: SELECT count(*) FROM stock WHERE s_w_id = 2 AND s_i_id = 9 -> 0`},
			{cycle: "add_warehouse,add_product", script: `
				A: BEGIN
				A: SELECT 1
				B: BEGIN
				B: SELECT add_product(9, 'pot', 3, 10)
				B: COMMIT
				A: SELECT add_warehouse('north', 0.2)
				A: COMMIT
				Z: SELECT count(*) FROM stock WHERE s_w_id = 2 AND s_i_id = 9 -> 0`}}},
	{folder: "tpcc-extended-name", rows: tpccExtendedRows + numberTwo,
		calls: tpccCalls(paymentByName, statusByName, deliverOne, addProduct, addWarehouse, addCustomer),
		anomalies: []anomaly{
			{cycle: "payment,add_customer,new_order,new_order,order_status", script: `
				A: BEGIN
				A: SELECT 1
				B: BEGIN
				B: SELECT add_customer(1, 2, 2, 'ada', 'smith', 'GC', 0)
				B: COMMIT
				C: BEGIN
				C: SELECT * FROM new_order(1, 2, 2, '{7}', '{1}', '{3}')
				C: COMMIT
				D: BEGIN
				D: SELECT * FROM new_order(1, 2, 1, '{8}', '{1}', '{4}')
				D: COMMIT
				E: BEGIN
				E: SELECT * FROM order_status(1, 2, 1, NULL)
				E: COMMIT
				A: SELECT * FROM payment(1, 1, 1, 1, 2, NULL, 'smith', 7) -> main, east, 1, -7
				A: COMMIT`}},
		// In the customer's own district, payment and new_order write one row.
		refused: []string{`
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT add_customer(1, 2, 2, 'ada', 'smith', 'GC', 0)
			B: COMMIT
			C: BEGIN
			C: SELECT * FROM new_order(1, 2, 2, '{7}', '{1}', '{3}')
			C: COMMIT
			A: SELECT * FROM payment(1, 1, 2, 1, 2, NULL, 'smith', 7) -> 40001
			A: COMMIT -> ROLLBACK`}},
}

var (
	lemma = []string{"SELECT run_p()", "SELECT run_o(5)", "SELECT run_i()", "SELECT * FROM run_x()"}
	// twoDelayed: both P and I have windows that others fall into.
	twoDelayed = `
		P: BEGIN
		P: SELECT 1
		O: BEGIN
		O: SELECT run_o(5)
		O: COMMIT
		I: BEGIN
		I: SELECT 1
		P: SELECT run_p()
		P: COMMIT
		X: BEGIN
		X: SELECT * FROM run_x() -> 5, 0
		X: COMMIT
		I: SELECT run_i()
		I: COMMIT`
	bankRows2 = `
		INSERT INTO saving VALUES (1, 0);
		INSERT INTO checking VALUES (1, 0);
		INSERT INTO audit VALUES (1, 0);`
	bankCalls2 = []string{"SELECT write_check(1, 5)", "SELECT transact_saving(1, 20)", "SELECT balance(1)"}
)

// freed is a schedule in which b frees what the delayed a needs.
func freed(a, b, result string) string {
	return `
		A: BEGIN
		A: SELECT 1
		B: BEGIN
		B: SELECT ` + b + `
		B: COMMIT
		A: SELECT ` + a + ` -> ` + result + `
		A: COMMIT`
}

var traps = []application{
	{folder: "s1-columns", calls: lemma, anomalies: []anomaly{
		{cycle: "run_p,run_o,run_i,run_x", script: twoDelayed, repairs: []string{"s1-columns-touch"}}},
		// With one delayed transaction, the exclusions cut every cycle.
		refused: []string{`
			P: BEGIN
			P: SELECT 1
			O: BEGIN
			O: SELECT run_o(5)
			O: COMMIT
			X: BEGIN
			X: SELECT * FROM run_x()
			X: COMMIT
			P: SELECT run_p() -> 40001
			P: COMMIT         -> ROLLBACK`, `
			I: BEGIN
			I: SELECT 1
			O: BEGIN
			O: SELECT run_o(5)
			O: COMMIT
			I: SELECT run_i() -> 40001
			I: COMMIT         -> ROLLBACK`}},
	{folder: "s1-columns-touch", calls: lemma},
	{folder: "s1-values", calls: lemma, anomalies: []anomaly{
		{cycle: "run_p,run_o,run_i,run_x", script: twoDelayed, repairs: []string{"s1-values-touch"}}},
		// An anomaly only for who looks at variables and not at values.
		harmless: []string{`
			P: BEGIN
			P: SELECT 1
			O: BEGIN
			O: SELECT run_o(5)
			O: COMMIT
			I: BEGIN
			I: SELECT run_i()
			I: COMMIT
			P: SELECT run_p()
			P: COMMIT`}},
	{folder: "s1-values-touch", calls: lemma},
	{folder: "s2-lock", rows: bankRows2, calls: bankCalls2, anomalies: []anomaly{
		{cycle: bankCycle, repairs: []string{"s2-lock-update"}, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT transact_saving(1, 20)
			B: COMMIT
			A: SELECT write_check(1, 10)
			C: BEGIN
			C: SELECT balance(1)                 -> blocks, 20
			A: COMMIT
			C: COMMIT
			Z: SELECT bal FROM checking          -> -11`}},
		// A balance that commits inside the window is excluded indeed.
		refused: []string{`
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT transact_saving(1, 20)
			B: COMMIT
			C: BEGIN
			C: SELECT balance(1)                 -> 20
			C: COMMIT
			A: SELECT write_check(1, 10)         -> 40001
			A: COMMIT                            -> ROLLBACK`}},
	{folder: "s2-lock-update", rows: bankRows2, calls: bankCalls2},
	{folder: "s3-key", rows: `INSERT INTO slot VALUES (5, 0);`, calls: []string{"SELECT release(5)", "SELECT take(6)"}, anomalies: []anomaly{
		{cycle: "take,release", script: freed("take(5)", "release(5)", "''"), repairs: []string{"s3-key-lock"}}}},
	{folder: "s3-key-lock", rows: `INSERT INTO slot VALUES (5, 0);`, calls: []string{"SELECT release(5)", "SELECT take(6)"}},
	{folder: "s3-unique", rows: `INSERT INTO member VALUES (1, 'ann', 0);`, calls: []string{"SELECT rename('ann', 'eve')", "SELECT sign_up(2, 'bob')"}, anomalies: []anomaly{
		{cycle: "sign_up,rename", script: freed("sign_up(2, 'ann')", "rename('ann', 'eve')", "''"), repairs: []string{"s3-unique-lock"}}}},
	{folder: "s3-unique-lock", rows: `INSERT INTO member VALUES (1, 'ann', 0);`, calls: []string{"SELECT rename('ann', 'eve')", "SELECT sign_up(2, 'bob')"}},
	{folder: "s3-exclude", rows: `INSERT INTO booking VALUES (1, 4, 7, 0);`, calls: []string{"SELECT cancel(1)", "SELECT book(2, 1, 3)"}, anomalies: []anomaly{
		{cycle: "book,cancel", script: freed("book(2, 2, 5)", "cancel(1)", "''"), repairs: []string{"s3-exclude-lock"}}}},
	{folder: "s3-exclude-lock", rows: `INSERT INTO booking VALUES (1, 4, 7, 0);`, calls: []string{"SELECT cancel(1)", "SELECT book(2, 1, 3)"}},
	{folder: "s3-parent", rows: `INSERT INTO parent VALUES (1); INSERT INTO child VALUES (11, 1);`, calls: []string{"SELECT drop_child(11)", "SELECT drop_parent(1)"}, anomalies: []anomaly{
		{cycle: "drop_parent,drop_child", script: freed("drop_parent(1)", "drop_child(11)", "0"), repairs: []string{"s3-parent-lock"}, undetected: true}}},
	{folder: "s3-parent-lock", rows: `INSERT INTO parent VALUES (1); INSERT INTO child VALUES (11, 1);`, calls: []string{"SELECT drop_child(11)", "SELECT drop_parent(1)"}},
	{folder: "s3-cascade", rows: `INSERT INTO parent VALUES (1); INSERT INTO child VALUES (11, 1);`, calls: []string{"SELECT drop_child(11)", "SELECT drop_parent(1)"}, anomalies: []anomaly{
		{cycle: "drop_parent,drop_child", script: freed("drop_parent(1)", "drop_child(11)", "0"), repairs: []string{"s3-cascade-lock"}, undetected: true}}},
	{folder: "s3-cascade-lock", rows: `INSERT INTO parent VALUES (1); INSERT INTO child VALUES (11, 1);`, calls: []string{"SELECT drop_child(11)", "SELECT drop_parent(1)"}},
	{folder: "s3-move", rows: `INSERT INTO parent VALUES (1); INSERT INTO child VALUES (11, 1);`, calls: []string{"SELECT leave(11, 1)", "SELECT rename_parent(1, 2)"}, anomalies: []anomaly{
		{cycle: "rename_parent,leave", script: freed("rename_parent(1, 2)", "leave(11, 1)", "0"), repairs: []string{"s3-move-lock"}, undetected: true}}},
	{folder: "s3-move-lock", rows: `INSERT INTO parent VALUES (1); INSERT INTO child VALUES (11, 1);`, calls: []string{"SELECT leave(11, 1)", "SELECT rename_parent(1, 2)"}},
}
