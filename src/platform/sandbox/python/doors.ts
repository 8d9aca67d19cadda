import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';

type Holder = Record<string, unknown>;

/** The interpreter asks for constants in a way that the permissions of the process refuse. */
export function openForLoading(): void {
  const constants = { fs: fs.constants, os: os.constants };
  (process as unknown as Holder).binding = (name: string) => (name === 'constants' ? constants : deny());
}

/**
 * Once the interpreter is loaded nothing in this process needs files, sockets, timers or other processes any more. Should code
 * find a way out of the interpreter, which it must not, there is nothing behind it: new JavaScript cannot be made from texts,
 * and the permissions of the process let it read the program and nothing else.
 */
export function closeDoors(): void {
  for (const module of [childProcess, cluster, dgram, dns, http2, net, tls, workerThreads]) closeAll(module);
  for (const { prototype } of [net.Socket, net.Server]) closeAll(prototype, ['connect', 'listen']);
  closeAll(process, ['binding', 'dlopen', 'kill', 'getBuiltinModule', 'chdir', '_linkedBinding']);
  syncBuiltinESMExports();
  for (const name of NETWORK) delete (globalThis as Holder)[name];
  // A callback that comes later would find memory that was restored meanwhile.
  for (const name of TIMERS) (globalThis as Holder)[name] = deny;
}

const NETWORK = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator', 'Worker', 'BroadcastChannel'];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'MessageChannel'];

function closeAll(holder: object, names = Object.keys(holder)): void {
  for (const name of names) {
    if (typeof (holder as Holder)[name] !== 'function') continue;
    Object.defineProperty(holder, name, { value: deny, configurable: true, enumerable: true, writable: true });
  }
}

function deny(): never {
  throw new Error('This is not possible in the sandbox.');
}
