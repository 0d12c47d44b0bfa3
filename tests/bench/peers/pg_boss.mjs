// pg-boss: by default one job every two seconds; tuned, two workers that fetch a thousand at once as long as they are full, and NOTIFY.
import { main, need } from "./serve.mjs";

const { PgBoss } = need("pg-boss");
const QUEUE = "noop";

const peer = {
  async open(url, clients) {
    this.url = url;
    this.boss = new PgBoss({ connectionString: url, max: clients, supervise: false, schedule: false });
    this.boss.on("error", () => {});
    await this.boss.start();
  },
  async schema() {
    await this.boss.createQueue(QUEUE, { notify: true });
  },
  async enqueue(client, payload) {
    await this.boss.send(QUEUE, payload);
  },
  async bulk(payloads) {
    await this.boss.insert(QUEUE, payloads.map((data) => ({ data })));
  },
  async work(tuned, seen, { listen = tuned } = {}) {
    this.worker = new PgBoss({ connectionString: this.url, max: 10, useListenNotify: listen });
    this.worker.on("error", () => {});
    await this.worker.start();
    const options = tuned ? { batchSize: 1000, burstWhenBatchFull: true, localConcurrency: 2 } : {};
    await this.worker.work(QUEUE, options, async (jobs) => jobs.forEach((job) => seen(job.data.number)));
  },
  async close() {
    await this.boss.stop({ graceful: false });
  },
};

await main(peer);
