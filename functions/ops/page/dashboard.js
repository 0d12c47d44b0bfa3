"use strict";
(() => {
  const TEXTS = {
    ko: {
      login: "로그인", logout: "로그아웃", email: "이메일", password: "비밀번호", overview: "대기열", types: "작업 종류",
      type: "종류", running: "실행 중", limit: "동시 한도", deadJobs: "실패한 작업", error: "원인", ended: "종료",
      places: "가게", place: "이름", progress: "진행", page: "페이지", alerts: "알림", what: "내용", times: "횟수",
      status: "상태", job: "작업", requeue: "다시 넣기", pause: "멈춤", resume: "재개", retry: "다시 보내기",
      none: "없음", acknowledge: "확인함", raised: "발생", published: "게시됨", missing: "부족한 정보", started: "생성 전", wrong: "로그인 정보가 맞지 않습니다.",
      expired: "다시 로그인하세요.", failed: "요청이 실패했습니다", unreachable: "서버에 연결할 수 없습니다.", updated: "갱신",
      pending: "대기", done: "완료", dead: "실패", cancelled: "취소", dead_1h: "1시간 내 실패", stuck_running: "멈춘 작업",
      oldest_pending_sec: "가장 오래 기다린 시간(초)", deadline_1h: "1시간 내 시간 초과", alerts_waiting: "보낼 알림",
      alerts_dead: "보내지 못한 알림", alerts_webhook: "Teams 연결", pages_published: "게시된 페이지",
      pages_behind: "이전 서식의 페이지", configured: "설정됨", webhook_missing: "설정 안 됨",
      channels: "채널 (지난 1시간의 가게 수)", channel: "채널", went: "응답", went_empty: "자료 없음", went_wrong: "실패",
      rests: "쉬는 때까지", waiting: "확인할 변경",
    },
    en: {
      login: "Log in", logout: "Log out", email: "Email", password: "Password", overview: "Queue", types: "Job types",
      type: "Type", running: "Running", limit: "In flight at most", deadJobs: "Dead jobs", error: "Why", ended: "Ended",
      places: "Places", place: "Name", progress: "Progress", page: "Page", alerts: "Alerts", what: "What", times: "Times",
      status: "Status", job: "Job", requeue: "Requeue", pause: "Pause", resume: "Resume", retry: "Post again",
      none: "None", acknowledge: "Seen", raised: "Raised", published: "Published", missing: "Still missing", started: "Not generated yet",
      wrong: "Email or password is wrong.", expired: "Log in again.", failed: "The request failed",
      unreachable: "The server cannot be reached.", updated: "Updated",
      pending: "Pending", done: "Done", dead: "Dead", cancelled: "Cancelled", dead_1h: "Dead in the last hour",
      stuck_running: "Stuck", oldest_pending_sec: "Oldest waiting (s)", deadline_1h: "Over their deadline, last hour",
      alerts_waiting: "Alerts waiting", alerts_dead: "Alerts refused", alerts_webhook: "Teams webhook",
      pages_published: "Pages published", pages_behind: "Pages behind the template", configured: "Configured",
      webhook_missing: "Missing",
      channels: "Channels (places in the last hour)", channel: "Channel", went: "Answered", went_empty: "Nothing found",
      went_wrong: "Failed", rests: "Rests until", waiting: "changes to confirm",
    },
  };
  const REFRESH_MS = 5000;
  const PLACES_SHOWN = 20;
  const SETTLED_MS = 30000; // how long a generation that is over is not asked for again
  const ASKED_AT_ONCE = 4; // the API runs few requests at a time, and others want some
  const byId = (id) => document.getElementById(id);
  const t = (key) => TEXTS[language][key] ?? key;
  let language = sessionStorage.getItem("language") ?? (navigator.language.startsWith("ko") ? "ko" : "en");
  let token = sessionStorage.getItem("token");
  let admin = sessionStorage.getItem("role") === "admin";
  let timer = null;
  let followed = "";
  const generations = new Map(); // by place: the last answer, and when it came

  class Refused extends Error {
    constructor(status, message) { super(message); this.status = status; }
  }

  async function call(method, path, body) {
    const headers = {};
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const found = answer.status === 204 ? null : await answer.json();
    if (!answer.ok) throw new Refused(answer.status, found?.error?.message ?? String(answer.status));
    return found;
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = String(text);
    if (className) made.className = className;
    return made;
  }

  function button(label, act) {
    const made = element("button", label);
    made.type = "button";
    made.addEventListener("click", async () => {
      made.disabled = true;
      try { await act(); } catch (error) { report(error); }
      await refresh();
    });
    return made;
  }

  // Text of any length, which may break anywhere; words of other cells stay whole.
  const long = (text) => element("span", text, "long");

  function side(...nodes) {
    const box = element("span");
    box.append(...nodes);
    return box;
  }

  function rows(bodyId, items, cells) {
    const body = byId(bodyId);
    const columns = body.parentElement.querySelectorAll("th").length;
    const made = items.map((item) => {
      const row = element("tr");
      for (const cell of cells(item)) {
        const td = element("td");
        if (cell instanceof Node) td.append(cell); else td.textContent = cell ?? "";
        row.append(td);
      }
      return row;
    });
    if (!made.length) {
      const row = element("tr");
      const cell = element("td", t("none"));
      cell.colSpan = columns;
      row.append(cell);
      made.push(row);
    }
    body.replaceChildren(...made);
  }

  function pairs(listId, entries) {
    byId(listId).replaceChildren(...entries.map(([label, value, className]) => {
      const box = element("div");
      box.append(element("dt", label), element("dd", value, className));
      return box;
    }));
  }

  const time = (text) => text ? new Date(text).toLocaleString(language) : "";
  const state = (text, className) => { byId("state").textContent = text; byId("state").className = className ?? ""; };

  function report(error) {
    if (error instanceof Refused && error.status === 401) return logOut(t("expired"));
    state(error instanceof Refused ? `${t("failed")}: ${error.message}` : t("unreachable"), "bad");
  }

  function showCounts(ops) {
    const plain = ["pending", "running", "done", "dead", "cancelled", "dead_1h", "stuck_running", "deadline_1h"];
    const alarming = new Set(["dead_1h", "stuck_running", "deadline_1h"]);
    const entries = plain.map((key) => [t(key), ops[key], alarming.has(key) && ops[key] > 0 ? "bad" : ""]);
    const oldest = ops.oldest_pending_sec;
    entries.push([t("oldest_pending_sec"), oldest === null ? "–" : Math.round(oldest)]);
    entries.push([t("alerts_waiting"), ops.alerts.waiting], [t("alerts_dead"), ops.alerts.dead, ops.alerts.dead ? "bad" : ""]);
    const configured = ops.alerts_webhook === "configured";
    entries.push([t("alerts_webhook"), t(configured ? "configured" : "webhook_missing"), configured ? "good" : "bad"]);
    entries.push([t("pages_published"), ops.pages.published], [t("pages_behind"), ops.pages.behind]);
    pairs("counts", entries);
  }

  async function showAdmin() {
    const [ops, dead, alerts] = await Promise.all([
      call("GET", "/ops"), call("GET", "/jobs?status=DEAD&limit=50"), call("GET", "/alerts?limit=20"),
    ]);
    showCounts(ops);
    rows("types", ops.types, (type) => [
      type.name, type.running, type.max_in_flight ?? "–",
      button(t(type.paused ? "resume" : "pause"),
        () => call("POST", `/ops/types/${encodeURIComponent(type.name)}/${type.paused ? "resume" : "pause"}`)),
    ]);
    rows("channels", ops.channels, (channel) => [
      channel.channel, channel.ok + channel.partial, channel.empty,
      element("span", channel.failed, channel.failed ? "bad" : ""), channel.code ?? "",
      channel.closed_until ? `${time(channel.closed_until)} (${channel.closed_code})` : "",
    ]);
    rows("dead", dead.jobs, (job) => [
      link(job.job_type, job.job_id), long(job.error), time(job.finished_at),
      side(
        button(t("requeue"), () => call("POST", `/jobs/${job.job_id}/requeue`)),
        job.acknowledged_at ? "" : button(t("acknowledge"), () => call("POST", `/jobs/${job.job_id}/acknowledge`)),
      ),
    ]);
    rows("alert-rows", alerts.alerts, (alert) => [
      alert.detail.job_id ? link(alert.title, alert.detail.job_id) : alert.title,
      time(alert.created_at), alert.occurrences, alert.status,
      alert.status === "SENT" ? "" : button(t("retry"), () => call("POST", `/alerts/${alert.alert_id}/retry`)),
    ]);
  }

  function link(text, jobId) {
    const made = element("a", text, "long");
    made.href = `#job=${jobId}`;
    return made;
  }

  async function generation(place) {
    const known = generations.get(place.place_id);
    if (known && !known.made?.active && Date.now() - known.at < SETTLED_MS) return known.made;
    let made = null;
    try {
      made = await call("GET", `/places/${place.place_id}/generation`);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
    }
    generations.set(place.place_id, { made, at: Date.now() });
    return made;
  }

  async function inTurns(items, ask) {
    const answers = [];
    let next = 0;
    const one = async () => {
      while (next < items.length) {
        const index = next++;
        answers[index] = await ask(items[index]);
      }
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, one));
    return answers;
  }

  async function showPlaces() {
    const { places } = await call("GET", `/places?limit=${PLACES_SHOWN}`);
    const made = await inTurns(places, generation);
    rows("places", places.map((place, index) => [place, made[index]]),
      ([place, found]) => [
        long(place.waiting ? `${place.name} (${t("waiting")}: ${place.waiting})` : place.name), progress(found), page(place),
      ]);
  }

  function progress(made) {
    if (made === null) return t("started");
    const box = element("span");
    const bar = element("progress");
    bar.max = 100;
    bar.value = made.percent;
    bar.setAttribute("aria-label", `${made.percent} %`);
    box.append(bar, ` ${made.percent} % `, made.steps.map((step) => `${step.job_type} ${step.status}`).join(" · "));
    return box;
  }

  function page({ name, site }) {
    if (site === null) return "";
    if (!site.published) return site.missing.length ? long(`${t("missing")}: ${site.missing.join(", ")}`) : "";
    const made = element("a", name);
    made.href = site.url;
    made.rel = "noopener";
    const box = long(`${t("published")}: `);
    box.append(made);
    return box;
  }

  async function showJob() {
    const id = /^#job=([0-9a-f-]{36})$/.exec(location.hash)?.[1];
    byId("job").hidden = !id;
    if (!id) return;
    const job = await call("GET", `/jobs/${id}`);
    byId("job-act").replaceChildren(...(admin && job.status === "DEAD"
      ? [button(t("requeue"), () => call("POST", `/jobs/${id}/requeue`))] : []));
    pairs("job-detail", Object.entries(job).map(([key, value]) =>
      [key, typeof value === "object" && value !== null ? JSON.stringify(value, null, 1) : value ?? "–"]));
  }

  // Where the address points, an alert's link for one, once it is there to be seen.
  function followHash() {
    if (location.hash === followed) return;
    followed = location.hash;
    byId(followed.startsWith("#job=") ? "job" : followed.slice(1))?.scrollIntoView();
  }

  async function refresh() {
    clearTimeout(timer);
    if (!token) return;
    try {
      for (const id of ["overview", "types-section", "channels-section", "dead-section", "alerts"]) byId(id).hidden = !admin;
      if (admin) await showAdmin();
      await showPlaces();
      await showJob();
      followHash();
      state(`${t("updated")} ${new Date().toLocaleTimeString(language)}`);
    } catch (error) {
      report(error);
    }
    clearTimeout(timer); // another refresh may have ended meanwhile
    if (token) timer = setTimeout(refresh, REFRESH_MS);
  }

  function translate() {
    document.documentElement.lang = language;
    for (const node of document.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
    const other = language === "ko" ? "en" : "ko";
    byId("language").textContent = other === "ko" ? "한국어" : "English";
    byId("language").lang = other;
  }

  function show() {
    byId("login").hidden = Boolean(token);
    byId("board").hidden = byId("logout").hidden = !token;
  }

  function logOut(message) {
    token = null;
    sessionStorage.removeItem("token");
    sessionStorage.removeItem("role");
    clearTimeout(timer);
    generations.clear();
    show();
    state(message ?? "");
  }

  byId("login").addEventListener("submit", async (submitted) => {
    submitted.preventDefault();
    try {
      const session = await call("POST", "/session", { email: byId("email").value, password: byId("password").value });
      token = session.token;
      admin = session.role === "admin";
      sessionStorage.setItem("token", token);
      sessionStorage.setItem("role", session.role);
      byId("password").value = "";
      state("");
      show();
      await refresh();
    } catch (error) {
      if (error instanceof Refused && error.status === 401) state(t("wrong"), "bad"); else report(error);
    }
  });
  byId("logout").addEventListener("click", () => logOut());
  byId("language").addEventListener("click", () => {
    language = language === "ko" ? "en" : "ko";
    sessionStorage.setItem("language", language);
    translate();
    refresh();
  });
  addEventListener("hashchange", async () => {
    try {
      await showJob();
      followHash();
    } catch (error) {
      report(error);
    }
  });
  translate();
  show();
  refresh();
})();
