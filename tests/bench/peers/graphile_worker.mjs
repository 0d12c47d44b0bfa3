// Graphile Worker: by default one job at a time; tuned, 24 at a time from a local queue of 500, completions batched.
import { main, need } from "./serve.mjs";

const { makeWorkerUtils, run, Logger } = need("graphile-worker");
const { Pool } = need("pg");
const logger = new Logger(() => () => {});

const peer = {
  async open(url, clients) {
    this.url = url;
    this.pool = new Pool({ connectionString: url, max: clients });
    this.utils = await makeWorkerUtils({ pgPool: this.pool, logger });
  },
  async schema() {
    await this.utils.migrate();
  },
  async enqueue(client, payload) {
    await this.utils.addJob("noop", payload);
  },
  async bulk(payloads) {
    await this.utils.addJobs(payloads.map((payload) => ({ identifier: "noop", payload })));
  },
  async work(tuned, seen) {
    const taskList = { noop: async (payload) => seen(payload.number) };
    const worker = { localQueue: { size: 500 }, concurrentJobs: 24, completeJobBatchDelay: 0, failJobBatchDelay: 0, maxPoolSize: 24 };
    await run({
      connectionString: this.url,
      taskList,
      logger,
      noHandleSignals: true,
      ...(tuned ? { preset: { worker } } : {}),
    });
  },
  async close() {
    await this.utils.release();
    await this.pool.end();
  },
};

await main(peer);
