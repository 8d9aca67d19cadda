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
import { freezeIntrinsics } from './freeze-intrinsics.js';

type Holder = Record<string, unknown>;

/** The interpreter reads constants in a way that the process permissions refuse. */
export function openForLoading(): void {
  const constants = { fs: fs.constants, os: os.constants };
  Reflect.set(process, 'binding', (name: string) => (name === 'constants' ? constants : deny()));
}

/**
 * Disables sockets, child processes and native code, which nothing in a sandbox process needs. Node's permission model
 * covers files and processes; this also covers the network.
 */
export function closeHost(): void {
  for (const module of [childProcess, cluster, dgram, dns, http2, net, tls, workerThreads]) closeAll(module);
  for (const { prototype } of [net.Socket, net.Server]) closeAll(prototype, ['connect', 'listen']);
  closeAll(process, OF_PROCESS);
  syncBuiltinESMExports();
  for (const name of NETWORK) delete (globalThis as Holder)[name];
}

/**
 * Disables the rest in processes whose interpreter the code might escape: nothing that later rows use can be replaced,
 * and no callback runs later.
 */
export function closeRealm(): void {
  sendOnlyAnswers();
  // A later callback would find restored memory.
  for (const name of TIMERS) (globalThis as Holder)[name] = deny;
  freezeIntrinsics();
}

/** The parent accepts only answers from the library that carries them. */
function sendOnlyAnswers(): void {
  for (const name of ['send', '_send']) {
    const send = (Reflect.get(process, name) as (...given: unknown[]) => unknown).bind(process);
    const sendAnswer = (message: { id?: unknown } | null, ...rest: unknown[]) =>
      typeof message?.id === 'number' ? send(message, ...rest) : deny();
    Reflect.set(process, name, sendAnswer);
  }
}

const NETWORK = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator', 'Worker', 'BroadcastChannel'];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'MessageChannel'];

const OF_PROCESS = 'binding dlopen kill getBuiltinModule chdir _linkedBinding disconnect abort'.split(' ');
function closeAll(holder: object, names = Object.keys(holder)): void {
  for (const name of names) {
    if (typeof (holder as Holder)[name] !== 'function') continue;
    Object.defineProperty(holder, name, { value: deny, configurable: true, enumerable: true, writable: true });
  }
}

function deny(): never {
  throw new Error('This is not possible in the sandbox.');
}
