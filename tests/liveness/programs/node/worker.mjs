import { parentPort, workerData } from 'node:worker_threads';

let sum = 0;
for (let i = 0; i < 500000; i++) sum += workerData;
parentPort.postMessage(sum);
