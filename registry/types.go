// # Go types
//
// What a model sees of a Go type as an argument and as a result, and values that were passed through: those without a
// remark come out as they went in. TestTypeTable makes this list (-update).
//
//	string
//	    in  {"type":"string"}
//	    out {"type":"string"}
//	        "a"
//	        1 is refused: v: must be a string, not a number.
//	bool
//	    in  {"type":"boolean"}
//	    out {"type":"boolean"}
//	        true
//	int
//	    in  {"type":"integer"}
//	    out {"type":"integer"}
//	        9007199254740993
//	        1.0 is refused: v: must be an integer, written without a fraction or an exponent.
//	int8
//	    in  {"type":"integer","minimum":-128,"maximum":127}
//	    out {"type":"integer","minimum":-128,"maximum":127}
//	        127
//	        128 is refused: v: must be an integer from -128 to 127.
//	uint
//	    in  {"type":"integer","minimum":0}
//	    out {"type":"integer","minimum":0}
//	        0
//	        -1 is refused: v: must be an integer from 0 to 18446744073709551615.
//	uint64
//	    in  {"type":"integer","minimum":0}
//	    out {"type":"integer","minimum":0}
//	        18446744073709551615
//	float32
//	    in  {"type":"number"}
//	    out {"type":"number"}
//	        0.5
//	float64
//	    in  {"type":"number"}
//	    out {"type":"number"}
//	        1e300 is written as 1e+300
//	        1e999 is refused: v: must be a number in the range of a 64-bit float.
//	complex128
//	    in  refused: type complex128 has no JSON form; use another type, or leave the field out with json:"-"
//	    out refused: encoding/json cannot encode type complex128; use another type, or leave the field out with
//	        json:"-"
//	*int
//	    in  {"type":["integer","null"]}
//	    out {"type":["null","integer"]}
//	        1
//	        null
//	**string
//	    in  {"type":["string","null"]}
//	    out {"type":["null","string"]}
//	        "a"
//	        null
//	any
//	    in  {}
//	    out true
//	        {"a":[1.50]}
//	json.RawMessage
//	    in  {}
//	    out {"type":["null","boolean","number","string","array","object"]}
//	        {"a": 1.50} is written as {"a":1.50}
//	json.Number
//	    in  {"type":"number"}
//	    out {"type":"number"}
//	        1.50
//	        "1" is refused: v: must be a number, not a string.
//	[]string
//	    in  {"type":"array","items":{"type":"string"}}
//	    out {"type":["null","array"],"items":{"type":"string"}}
//	        ["a"]
//	        []
//	        null is refused: v: must be an array, not null.
//	[]uint8
//	    in  {"type":"string","contentEncoding":"base64"}
//	    out {"type":["null","string"],"contentEncoding":"base64"}
//	        "aGk="
//	        "?" is refused: v: must be base64 with padding.
//	[3]int
//	    in  {"type":"array","minItems":3,"maxItems":3,"items":{"type":"integer"}}
//	    out {"type":"array","items":{"type":"integer"},"minItems":3,"maxItems":3}
//	        [1,2,3]
//	        [1] is refused: v: must have at least 3 items.
//	[][]int
//	    in  {"type":"array","items":{"type":"array","items":{"type":"integer"}}}
//	    out {"type":["null","array"],"items":{"type":["null","array"],"items":{"type":"integer"}}}
//	        [[1],[]]
//	map[string]int
//	    in  {"type":"object","additionalProperties":{"type":"integer"}}
//	    out {"type":"object","additionalProperties":{"type":"integer"}}
//	        {"a":1}
//	map[Label]bool
//	    in  {"type":"object","additionalProperties":{"type":"boolean"}}
//	    out {"type":"object","additionalProperties":{"type":"boolean"}}
//	        {"a":true}
//	map[int]string
//	    in  {"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"},
//	        "additionalProperties":{"type":"string"}}
//	    out {"type":"object"}
//	        {"-7":"a"}
//	        {"07":"a"} is refused: v["07"]: the key must be an integer from -9223372036854775808 to
//	        9223372036854775807.
//	map[uint8]bool
//	    in  {"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"},
//	        "additionalProperties":{"type":"boolean"}}
//	    out {"type":"object"}
//	        {"255":true}
//	        {"256":true} is refused: v["256"]: the key must be an integer from 0 to 255.
//	map[netip.Addr]int
//	    in  {"type":"object","propertyNames":{"type":"string","description":"An IP address such as 192.0.2.1 or
//	        2001:db8::1."},"additionalProperties":{"type":"integer"}}
//	    out {"type":"object"}
//	        {"::1":1}
//	        {"x":1} is refused: v.x: the key is not a valid Addr.
//	        {"::A":1,"::a":2} is refused: v: has two keys that are the same Addr.
//	map[Level]int
//	    in  {"type":"object","propertyNames":{"type":"string","description":"Such as debug, info, error."},
//	        "additionalProperties":{"type":"integer"}}
//	    out {"type":"object"}
//	        {"info":1}
//	map[bool]int
//	    in  refused: type map[bool]int: JSON has no keys of type bool; take strings, integers, or a type with
//	        MarshalText and UnmarshalText as keys
//	    out refused: type map[bool]int: JSON has no keys of type bool; take strings, integers, or a type with
//	        MarshalText as keys
//	map[string]any
//	    in  {"type":"object","additionalProperties":{}}
//	    out {"type":"object","additionalProperties":true}
//	        {"a":null}
//	Celsius
//	    in  {"type":"number"}
//	    out {"type":"number"}
//	        36.6
//	Label
//	    in  {"type":"string"}
//	    out {"type":"string"}
//	        "a"
//	Size
//	    in  {"type":"integer"}
//	    out {"type":"integer"}
//	        3
//	Priority
//	    in  {"type":"integer","description":"0 is low, 1 is normal, 2 is high."}
//	    out {"type":"integer","description":"0 is low, 1 is normal, 2 is high."}
//	        1
//	        "normal" is refused: v: must be an integer, not a string.
//	Status, with Enum(Open, Paid)
//	    in  {"type":["string","integer"],"description":"0 is open, 1 is paid.","enum":["open","paid",0,1]}
//	    out {"type":"integer","description":"0 is open, 1 is paid."}
//	        "paid" is written as 1
//	        1
//	        "lost" is refused: v: must be one of open, paid, 0, 1.
//	        2 is refused: v: must be one of open, paid, 0, 1.
//	Level
//	    in  {"type":"string","description":"Such as debug, info, error."}
//	    out {"type":"string"}
//	        "info"
//	        "loud" is refused: v: is not a valid Level, such as debug, info, error.
//	        1 is refused: v: must be a string, not a number.
//	time.Month
//	    in  {"type":"integer","description":"1 is January, 2 is February, 3 is March, 4 is April, 5 is May, 6 is June,
//	        7 is July, 8 is August, 9 is September, 10 is October, 11 is November, 12 is December."}
//	    out {"type":"integer","description":"1 is January, 2 is February, 3 is March, 4 is April, 5 is May, 6 is June,
//	        7 is July, 8 is August, 9 is September, 10 is October, 11 is November, 12 is December."}
//	        3
//	slog.Level
//	    in  {"type":"string","description":"DEBUG, INFO, WARN or ERROR, with an offset if needed, such as INFO+2."}
//	    out {"type":"string"}
//	        "WARN"
//	time.Time
//	    in  {"type":"string","format":"date-time"}
//	    out {"type":"string"}
//	        "2026-01-31T09:30:00Z"
//	        "2026-01-31" is refused: v: must be a date and time with an offset such as 2026-01-31T09:30:00Z.
//	time.Time, with format=date
//	    in  {"type":"string","format":"date"}
//	    out {"type":"string"}
//	        "2026-01-31" is written as "2026-01-31T00:00:00Z"
//	time.Duration
//	    in  {"type":["string","integer"],"description":"A duration such as 90s, 5m or 1h30m; a number is in
//	        nanoseconds."}
//	    out {"type":"integer","description":"Nanoseconds."}
//	        "5m" is written as 300000000000
//	        300000000000
//	        "5 minutes" is refused: v: must be a duration such as 90s, 5m or 1h30m.
//	time.Duration, with min=1s,max=1h
//	    in  {"type":["string","integer"],"description":"A duration such as 90s, 5m or 1h30m; a number is in
//	        nanoseconds.","minimum":1000000000,"maximum":3600000000000}
//	    out {"type":"integer","description":"Nanoseconds."}
//	        "90s" is written as 90000000000
//	        "2h" is refused: v: must be at most 1h0m0s.
//	url.URL
//	    in  {"type":"string","format":"uri"}
//	    out {"type":"object","properties":{"Scheme":{"type":"string"},"Opaque":{"type":"string"},
//	        "User":{"type":["null","object"],"properties":{},"additionalProperties":false},"Host":{"type":"string"},
//	        "Path":{"type":"string"},"Fragment":{"type":"string"},"RawQuery":{"type":"string"},
//	        "RawPath":{"type":"string"},"RawFragment":{"type":"string"},"ForceQuery":{"type":"boolean"},
//	        "OmitHost":{"type":"boolean"}},"required":["Scheme","Opaque","User","Host","Path","Fragment","RawQuery",
//	        "RawPath","RawFragment","ForceQuery","OmitHost"],"additionalProperties":false}
//	        "https://example.com/a?b=c" is written as {"Scheme":"https","Opaque":"","User":null,"Host":"example.com",
//	        "Path":"/a","Fragment":"","RawQuery":"b=c","RawPath":"","RawFragment":"","ForceQuery":false,
//	        "OmitHost":false}
//	        "/a" is refused: v: must be an absolute URI such as https://example.com/a, without a user.
//	netip.Addr
//	    in  {"type":"string","description":"An IP address such as 192.0.2.1 or 2001:db8::1."}
//	    out {"type":"string"}
//	        "192.0.2.1"
//	        "192.0.2" is refused: v: is not a valid Addr.
//	netip.Prefix
//	    in  {"type":"string","description":"A network such as 192.0.2.0/24 or 2001:db8::/32."}
//	    out {"type":"string"}
//	        "192.0.2.0/24"
//	netip.AddrPort
//	    in  {"type":"string","description":"An IP address and port such as 192.0.2.1:80 or [2001:db8::1]:80."}
//	    out {"type":"string"}
//	        "[2001:db8::1]:80"
//	net.IP
//	    in  {"type":"string"}
//	    out {"type":"string"}
//	        "192.0.2.1"
//	http.Header
//	    in  {"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}
//	    out {"type":"object","additionalProperties":{"type":["null","array"],"items":{"type":"string"}}}
//	        {"A":["b"]}
//	sql.NullString
//	    in  {"type":["string","null"]}
//	    out {"type":"object","properties":{"String":{"type":"string"},"Valid":{"type":"boolean"}},
//	        "required":["String","Valid"],"additionalProperties":false}
//	        "a" is written as {"String":"a","Valid":true}
//	        null is written as {"String":"","Valid":false}
//	sql.NullInt64
//	    in  {"type":["integer","null"]}
//	    out {"type":"object","properties":{"Int64":{"type":"integer"},"Valid":{"type":"boolean"}},"required":["Int64",
//	        "Valid"],"additionalProperties":false}
//	        7 is written as {"Int64":7,"Valid":true}
//	sql.NullTime
//	    in  {"type":["string","null"],"format":"date-time"}
//	    out {"type":"object","properties":{"Time":{"type":"string"},"Valid":{"type":"boolean"}},"required":["Time",
//	        "Valid"],"additionalProperties":false}
//	        "2026-01-31T09:30:00Z" is written as {"Time":"2026-01-31T09:30:00Z","Valid":true}
//	sql.Null[time.Duration]
//	    in  {"type":["string","integer","null"],"description":"A duration such as 90s, 5m or 1h30m; a number is in
//	        nanoseconds."}
//	    out {"type":"object","properties":{"V":{"type":"integer","description":"Nanoseconds."},
//	        "Valid":{"type":"boolean"}},"required":["V","Valid"],"additionalProperties":false}
//	        "5m" is written as {"V":300000000000,"Valid":true}
//	        null is written as {"V":0,"Valid":false}
//	UUID
//	    in  {"type":"string","format":"uuid"}
//	    out {"type":"string"}
//	        "123e4567-e89b-12d3-a456-426614174000"
//	        "123" is refused: v: is not a valid UUID.
//	Raw16
//	    in  {"type":"array","minItems":16,"maxItems":16,"items":{"type":"integer","minimum":0,"maximum":255}}
//	    out {"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"minItems":16,"maxItems":16}
//	        [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]
//	*big.Int
//	    in  {"type":["integer","null"]}
//	    out {"type":["null","integer"]}
//	        123456789012345678901234567890
//	*big.Rat
//	    in  {"type":["string","null"],"pattern":"^-?[0-9]+(\\.[0-9]+|/[0-9]*[1-9][0-9]*)?$","maxLength":1000}
//	    out {"type":["null","string"]}
//	        "0.5" is written as "1/2"
//	        "1/3"
//	        "1/0" is refused: v: must match the pattern ^-?[0-9]+(\.[0-9]+|/[0-9]*[1-9][0-9]*)?$.
//	*big.Float
//	    in  {"type":["string","null"],"pattern":"^-?[0-9]+(\\.[0-9]+)?$","maxLength":1000}
//	    out {"type":["null","string"]}
//	        "2.5"
//	Point
//	    in  {"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x","y"],
//	        "additionalProperties":false}
//	    out {"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x","y"],
//	        "additionalProperties":false}
//	        {"x":1,"y":2}
//	        {"X":1,"y":2} is refused: v.X: unknown member, did you mean `x`? known: x, y; v.x: missing.
//	*Point
//	    in  {"type":["object","null"],"properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x",
//	        "y"],"additionalProperties":false}
//	    out {"type":["null","object"],"properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x",
//	        "y"],"additionalProperties":false}
//	        null
//	Doc
//	    in  {"type":"object","properties":{"by":{"type":"string"},"title":{"type":"string","description":"What it is
//	        called."}},"required":["by","title"],"additionalProperties":false}
//	    out {"type":"object","properties":{"by":{"type":"string"},"title":{"type":"string","description":"What it is
//	        called."}},"required":["by","title"],"additionalProperties":false}
//	        {"by":"ana","title":"A"}
//	struct {}
//	    in  {"type":"object","additionalProperties":false}
//	    out {"type":"object","additionalProperties":false}
//	        {}
//	Hidden
//	    in  {"type":"object","properties":{"shown":{"type":"integer"}},"required":["shown"],
//	        "additionalProperties":false}
//	    out {"type":"object","properties":{"shown":{"type":"integer"}},"required":["shown"],
//	        "additionalProperties":false}
//	        {"shown":1}
//	Tree
//	    in  {"$ref":"#/$defs/Tree"} with "$defs":{"Tree":{"type":"object","properties":{"name":{"type":"string"},
//	        "kids":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["name"],
//	        "additionalProperties":false}}
//	    out no schema; the JSON of encoding/json
//	        {"name":"a","kids":[{"name":"b"}]}
//	        {"name":"a","kids":[{}]} is refused: v.kids[0].name: missing.
//	*List
//	    in  {"anyOf":[{"$ref":"#/$defs/List"},{"type":"null"}]} with "$defs":{"List":{"type":"object",
//	        "properties":{"next":{"anyOf":[{"$ref":"#/$defs/List"},{"type":"null"}]}},"required":["next"],
//	        "additionalProperties":false}}
//	    out no schema; the JSON of encoding/json
//	        {"next":{"next":null}}
//	Nested
//	    in  {"$ref":"#/$defs/Nested"} with "$defs":{"Nested":{"type":"object",
//	        "additionalProperties":{"$ref":"#/$defs/Nested"}}}
//	    out no schema; the JSON of encoding/json
//	        {"a":{"b":{}}}
//	Pair[string,[]Point]
//	    in  {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"object",
//	        "properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x","y"],
//	        "additionalProperties":false}}},"required":["a","b"],"additionalProperties":false}
//	    out {"type":"object","properties":{"a":{"type":"string"},"b":{"type":["null","array"],
//	        "items":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x",
//	        "y"],"additionalProperties":false}}},"required":["a","b"],"additionalProperties":false}
//	        {"a":"x","b":[]}
//	Optional[int]
//	    in  {"type":["integer","null"]}
//	    out {"type":["integer","null"]}
//	        3
//	        null
//	        "3" is refused: v: must be an integer or null, not a string.
//	Money
//	    in  {"type":"string","description":"Euros, such as 12.50.","pattern":"^[0-9]+\\.[0-9]{2}$"}
//	    out {"type":"string","description":"Euros, such as 12.50.","pattern":"^[0-9]+\\.[0-9]{2}$"}
//	        "12.50"
//	        "12" is refused: v: must match the pattern ^[0-9]+\.[0-9]{2}$.
//	Opaque
//	    in  {}
//	    out {"type":["null","boolean","number","string","array","object"]}
//	        "a"
//	Opaque, with TypeSchema
//	    in  {"type":"string","maxLength":9}
//	    out {"type":["null","boolean","number","string","array","object"]}
//	        "a"
//	        1 is refused: v: must be a string, not a number.
//	int64, with json:",string"
//	    in  {"type":"string","pattern":"^-?[0-9]+$"}
//	    out {"type":"integer"}
//	        "9007199254740993" is written as 9007199254740993
//	        1 is refused: v: must be a string, not a number.
//	io.Reader
//	    in  refused: interface type io.Reader has methods, so encoding/json cannot choose what to decode; use any,
//	        json.RawMessage or a concrete type
//	    out true
//	fmt.Stringer
//	    in  refused: interface type fmt.Stringer has methods, so encoding/json cannot choose what to decode; use any,
//	        json.RawMessage or a concrete type
//	    out true
//	error
//	    in  refused: interface type error has methods, so encoding/json cannot choose what to decode; use any,
//	        json.RawMessage or a concrete type
//	    out true
//	chan int
//	    in  refused: type chan int has no JSON form; use another type, or leave the field out with json:"-"
//	    out refused: encoding/json cannot encode type chan int; use another type, or leave the field out with json:"-"
//	func()
//	    in  refused: type func() has no JSON form; use another type, or leave the field out with json:"-"
//	    out refused: encoding/json cannot encode type func(); use another type, or leave the field out with json:"-"
//	Self
//	    in  refused: type Self is a pointer to itself, which has no JSON form; use another type
//	    out refused: type Self is a pointer to itself, which has no JSON form; use another type
//	mcp.Content
//	    in  refused: interface type mcp.Content has methods, so encoding/json cannot choose what to decode; use any,
//	        json.RawMessage or a concrete type
//	    out true
package registry
