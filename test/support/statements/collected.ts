import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { shapeOf } from '../../../src/platform/database/statement-shape.js';
import { isHeldFile } from './held-connections.js';

/** A statement that the server sent to PostgreSQL while tests ran. */
export interface CollectedStatement {
  text: string;
  /** The files whose code asked for it, the innermost first. */
  places: string[];
}

/** Statements that all processes have collected in a folder, each shape once. */
export function readCollected(folder: string): CollectedStatement[] {
  const files = readdirSync(folder).filter((name) => !isHeldFile(name));
  const lines = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
  const collected = lines.filter(Boolean).map((line) => JSON.parse(line) as CollectedStatement);
  return [...new Map(collected.map((statement) => [shapeOf(statement.text), statement])).values()];
}
