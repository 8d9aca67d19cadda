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
 * the permissions of the process let it read the program and nothing else, and what later rows use cannot be replaced.
 */
export function closeDoors(): void {
  for (const module of [childProcess, cluster, dgram, dns, http2, net, tls, workerThreads]) closeAll(module);
  for (const { prototype } of [net.Socket, net.Server]) closeAll(prototype, ['connect', 'listen']);
  closeAll(process, OF_PROCESS);
  sendOnlyAnswers();
  syncBuiltinESMExports();
  for (const name of NETWORK) delete (globalThis as Holder)[name];
  // A callback that comes later would find memory that was restored meanwhile.
  for (const name of TIMERS) (globalThis as Holder)[name] = deny;
  freezeIntrinsics();
}

/** The parent expects messages of the library that carries answers, and no others. */
function sendOnlyAnswers(): void {
  const holder = process as unknown as Record<string, (message: unknown, ...rest: unknown[]) => unknown>;
  for (const name of ['send', '_send']) {
    const send = holder[name]!.bind(process);
    holder[name] = (message, ...rest) =>
      typeof (message as { id?: unknown } | null)?.id === 'number' ? send(message, ...rest) : deny();
  }
}

/** Constructors and prototypes of the language, and all they hold. */
function freezeIntrinsics(): void {
  const iterators = [
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ''[Symbol.iterator](),
    'x'.matchAll(/x/g),
  ];
  const functions = [function* () {}, async function () {}, async function* () {}];
  const hidden = [...iterators, ...functions, ...functions.map((one) => one.prototype as unknown)];
  const prototypesOf = (one: object): object[] => {
    const prototype = Object.getPrototypeOf(one) as object | null;
    return prototype ? [prototype, ...prototypesOf(prototype)] : [];
  };
  const roots = OF_LANGUAGE.map((name) => (globalThis as Holder)[name]);
  const found = new Set<object>();
  const freeze = (value: unknown) => {
    if (!(typeof value === 'function' || (typeof value === 'object' && value !== null)) || found.has(value)) return;
    found.add(value);
    for (const { value: member, get, set } of Object.values(Object.getOwnPropertyDescriptors(value)))
      [member, get, set].forEach(freeze);
    prototypesOf(value).forEach(freeze);
    Object.freeze(value);
  };
  roots.forEach(freeze);
  hidden
    .filter((one): one is object => typeof one === 'object' || typeof one === 'function')
    .flatMap(prototypesOf)
    .forEach(freeze);
}

const NETWORK = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'navigator', 'Worker', 'BroadcastChannel'];
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'MessageChannel'];

const OF_PROCESS = 'binding dlopen kill getBuiltinModule chdir _linkedBinding disconnect abort'.split(' ');
const OF_LANGUAGE = (
  'Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError ' +
  'ReferenceError SyntaxError TypeError URIError ArrayBuffer SharedArrayBuffer Uint8Array Int8Array Uint16Array Int16Array ' +
  'Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map Set WeakMap ' +
  'WeakSet WeakRef FinalizationRegistry Proxy Reflect Math JSON Atomics WebAssembly TextDecoder TextEncoder'
).split(' ');

function closeAll(holder: object, names = Object.keys(holder)): void {
  for (const name of names) {
    if (typeof (holder as Holder)[name] !== 'function') continue;
    Object.defineProperty(holder, name, { value: deny, configurable: true, enumerable: true, writable: true });
  }
}

function deny(): never {
  throw new Error('This is not possible in the sandbox.');
}
