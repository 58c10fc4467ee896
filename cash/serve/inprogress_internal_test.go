package serve

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestPacedStreams holds that a stream may be silent for longer than a client may take for a part of it, over both
// versions of HTTP.
func TestPacedStreams(t *testing.T) {
	const each = 500 * time.Millisecond
	srv := httptest.NewUnstartedServer(paced(each, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 2 {
			_, _ = io.WriteString(w, "data: x\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(3 * each / 2)
		}
	})))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	for _, major := range []int{1, 2} {
		t.Run(fmt.Sprint("HTTP ", major), func(t *testing.T) {
			t.Parallel()
			client := srv.Client()
			if major == 1 {
				old := client.Transport.(*http.Transport).Clone()
				old.Protocols = new(http.Protocols)
				old.Protocols.SetHTTP1(true)
				old.TLSClientConfig.NextProtos = []string{"http/1.1"}
				client = &http.Client{Transport: old}
			}
			resp, err := client.Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(resp.Body)
			n := 0
			for lines.Scan() {
				n++
			}
			if resp.ProtoMajor != major || n != 2 || lines.Err() != nil {
				t.Errorf("HTTP/%d: %d lines over HTTP/%d, %v", major, n, resp.ProtoMajor, lines.Err())
			}
			_ = resp.Body.Close()
			client.CloseIdleConnections()
		})
	}
}
