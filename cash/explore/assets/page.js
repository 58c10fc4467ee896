// Search while typing, and a log that renews itself. Without this file, both are pages to load.
"use strict";
(() => {
  const main = document.getElementById("main");
  const field = document.getElementById("q");
  let before = null; // the page that the search has covered
  let asked = null;

  const fetched = async (url, signal) => {
    const answer = await fetch(url, { signal, credentials: "same-origin" });
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return Array.from(page.body.childNodes);
  };

  const search = async () => {
    if (asked) asked.abort();
    const words = field.value.trim();
    if (words === "") {
      if (before) main.replaceChildren(...before);
      before = null;
      return;
    }
    asked = new AbortController();
    const query = new URLSearchParams(new FormData(field.form));
    query.set("part", "1");
    try {
      const nodes = await fetched("search?" + query, asked.signal);
      if (!nodes) return;
      before = before || Array.from(main.childNodes);
      main.replaceChildren(...nodes);
    } catch (e) {
      if (e.name !== "AbortError") throw e;
    }
  };
  field.addEventListener("input", search);

  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest("input, textarea, select");
    if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      field.focus();
      field.select();
    } else if (e.key === "Escape" && e.target === field) {
      field.value = "";
      search();
    }
  });

  const as = document.getElementById("as");
  if (as) as.addEventListener("change", () => as.form.requestSubmit());

  const part = document.querySelector("[data-live]");
  const live = document.getElementById("live");
  if (part && live) {
    live.parentElement.hidden = false;
    const url = new URL(location.href);
    url.searchParams.set("part", "1");
    const renew = async () => {
      if (live.checked && !document.hidden && !part.contains(document.activeElement)) {
        const nodes = await fetched(url).catch(() => null);
        if (nodes) part.replaceChildren(...nodes);
      }
      setTimeout(renew, 2000);
    };
    setTimeout(renew, 2000);
  }
})();
