package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// An order is the service's own type.
type order struct {
	ID       int    `json:"id"`
	Product  string `json:"product"`
	Quantity int    `json:"quantity"`
	State    string `json:"state"`
}

// newService returns the service as it was before it had an MCP endpoint: routes, JSON, and a login by header.
func newService() http.Handler {
	var mu sync.Mutex
	orders := []order{{1, "printer", 2, "sent"}, {2, "paper", 10, "open"}}
	last := 2 // the newest id
	stock := map[string]int{"printer": 3, "paper": 500}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		list := []order{}
		for _, o := range slices.Backward(orders) {
			if state := r.FormValue("state"); state == "" || state == o.State {
				list = append(list, o)
			}
		}
		reply(w, http.StatusOK, list)
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var o order
		if json.NewDecoder(r.Body).Decode(&o) != nil || stock[o.Product] < o.Quantity {
			reply(w, http.StatusConflict, map[string]string{"message": "there are not so many of this product"})
			return
		}
		last++
		o.ID, o.State = last, "open"
		orders = append(orders, o)
		reply(w, http.StatusCreated, o)
	})
	mux.HandleFunc("DELETE /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-User") == "" {
			reply(w, http.StatusUnauthorized, map[string]string{"message": "log in to cancel orders"})
			return
		}
		mu.Lock()
		defer mu.Unlock()
		orders = slices.DeleteFunc(orders, func(o order) bool { return strconv.Itoa(o.ID) == r.PathValue("id") })
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /stock/{product}", func(w http.ResponseWriter, r *http.Request) {
		product := r.PathValue("product")
		reply(w, http.StatusOK, map[string]any{"product": product, "count": stock[product]})
	})
	return mux
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
