// The loop of a Node.js adapter: orders come in as lines of JSON, each is answered by one. See serve.py.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

// Packages stand in the peer's own folder, not beside this file.
export const need = createRequire(process.cwd() + "/");

const payloadOf = (order, number) => ({ ...order.payload, number: 1_000_000 + number });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

async function enqueue(peer, order) {
  let number = 0;
  for (let warm = 0; warm < 3; warm++)
    await Promise.all(Array.from({ length: order.clients }, (_, i) => peer.enqueue(i, payloadOf(order, number++))));
  const end = performance.now() + order.seconds * 1000;
  const began = performance.now();
  const client = async (index) => {
    let count = 0;
    while (performance.now() < end) {
      await peer.enqueue(index, payloadOf(order, number++));
      count++;
    }
    return count;
  };
  const counts = await Promise.all(Array.from({ length: order.clients }, (_, index) => client(index)));
  return { per_s: counts.reduce((a, b) => a + b, 0) / ((performance.now() - began) / 1000) };
}

async function bulk(peer, order) {
  const payloads = Array.from({ length: order.count }, (_, n) => payloadOf(order, n));
  const began = performance.now();
  await peer.bulk(payloads);
  return { per_s: order.count / ((performance.now() - began) / 1000) };
}

async function wake(peer, order) {
  const waiting = new Map();
  // Where waking is an option of the worker, it is on.
  await peer.work(false, (number) => waiting.get(number)?.(performance.now()), { listen: true });
  await sleep(2000);
  const ms = [];
  for (let n = 0; n < order.samples; n++) {
    const started = new Promise((resolve) => waiting.set(1_000_000 + n, resolve));
    await peer.enqueue(0, payloadOf(order, n));
    const committed = performance.now();
    ms.push((await started) - committed);
    await sleep(20);
  }
  return { ms };
}

// `work` resolves once the worker runs; it goes on in the background.
export async function main(peer) {
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    await peer.open(process.argv[2], order.clients ?? 1);
    if (order.do === "work") {
      say({});
      await peer.work(order.tuned, () => {});
      continue;
    }
    if (order.do === "schema") say((await peer.schema()) ?? {});
    else say(await { enqueue, bulk, wake }[order.do](peer, order));
    if (order.do === "wake") process.exit(0);
    await peer.close();
  }
  process.exit(0);
}
