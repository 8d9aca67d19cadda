import { appendFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { shapeOf } from '../../../src/platform/database/statement-shape.js';
import type { CollectedStatement } from './collected.js';
import { heldFile, watchHeldConnections } from './held-connections.js';
import { textsOf } from './texts-of.js';

/** Enough to reach the code that asked, below the frames of drivers and of TypeORM. */
const FRAMES = 60;
const PLACE = new RegExp(`${path.resolve()}/(?:dist/)?((?:src|test|migrations)/[^:)?]+)\\.[jt]s`, 'g');
/** Files that all kinds of statements pass through. They do not identify a statement. */
const PASSED = ['src/platform/database/', `${path.relative('', import.meta.dirname)}/`];

type Query = (this: pg.Client, ...given: unknown[]) => unknown;

const folder = inject('statementsFolder');
if (folder) collectInto(folder);

/** Writes down every statement that a client of pg sends, and second connections, each only once. Spec files share their process. */
function collectInto(folder: string): void {
  const file = path.join(folder, `${process.pid}.jsonl`);
  // An empty file shows that statements are collected, even if there are none.
  appendFileSync(file, '');
  const prototype = pg.Client.prototype as unknown as { query: Query & { collects?: true } };
  const { query } = prototype;
  if (query.collects) return;
  collectHeld(heldFile(folder));
  const texts = new Set<string>();
  const shapes = new Set<string>();
  const note = (text: string) => {
    if (texts.has(text)) return;
    texts.add(text);
    const shape = shapeOf(text);
    if (shapes.has(shape)) return;
    shapes.add(shape);
    const collected: CollectedStatement = { text, places: placesOfCaller() };
    appendFileSync(file, `${JSON.stringify(collected)}\n`);
  };
  prototype.query = Object.assign(
    function (this: pg.Client, ...given: unknown[]): unknown {
      textsOf(given[0]).forEach(note);
      return query.apply(this, given);
    },
    { collects: true as const },
  );
}

function collectHeld(file: string): void {
  const known = new Set<string>();
  watchHeldConnections(placesOfCaller, (held) => {
    const line = JSON.stringify(held);
    if (!known.has(line)) appendFileSync(file, `${line}\n`);
    known.add(line);
  });
}

/** Files of this repository, the innermost first. */
function placesOfCaller(): string[] {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = before;
  const files = [...stack.matchAll(PLACE)]
    .map(([, file]) => `${file}.ts`)
    .filter((file) => !PASSED.some((start) => file.startsWith(start)));
  return [...new Set(files)];
}
