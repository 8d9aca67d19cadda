import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg, { type ClientBase, type Connection, type FieldDef, type Result, type Submittable } from 'pg';
import type { EntityManager } from 'typeorm';
import { discard } from '../discard.js';
import type { Step } from './statement.js';
import { WatchedClient } from './watched-client.js';

/** First bytes of protocol messages that pg does not write, or only from a copy of the data. */
const COPY_DATA = 'd'.charCodeAt(0);
const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1');

type RowsOf<S> = S extends Step<infer Row> ? Row[] : never;

/**
 * Sends statements to the server together and returns the rows of each: between them the server does not wait for this process,
 * which may be busy. After the first failure the others are not run. `tx` must have a connection, with a transaction in progress
 * or begun by the first step.
 */
export async function sendTogether<const Steps extends readonly Step<object>[]>(
  tx: EntityManager,
  steps: Steps,
): Promise<{ -readonly [K in keyof Steps]: RowsOf<Steps[K]> }> {
  const client = (await tx.queryRunner!.connect()) as ClientBase;
  const end = client instanceof WatchedClient ? client.begin(textOf(steps), valuesOf(steps)) : null;
  const results = await new Promise<Result[]>((resolve, reject) => {
    client.query(new Together(steps, (error, done) => (error ? reject(error) : resolve(done))));
  }).catch((error: unknown) => {
    end?.(error);
    throw error;
  });
  end?.();
  discard(steps.flatMap(({ copied }) => copied?.own ?? []));
  return results.map(({ rows }): unknown => rows) as { -readonly [K in keyof Steps]: RowsOf<Steps[K]> };
}

const textOf = (steps: readonly Step<object>[]): string =>
  steps.length === 1 ? steps[0]!.text : steps.map(({ text }) => text).join('; ');

/** Parameters are numbered per statement, so they fit the text of a single statement only. */
const valuesOf = (steps: readonly Step<object>[]): readonly unknown[] => (steps.length === 1 ? steps[0]!.values : []);

/** The parts of a pg connection that its types omit. */
interface Wire extends EventEmitter {
  stream: Duplex;
  /** The texts of the prepared statements, by name. */
  parsedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(what: { type: 'P' }): void;
  execute(): void;
  sync(): void;
}

/** A result that pg fills. */
interface RowBuilder extends Result {
  addFields(fields: FieldDef[]): void;
  parseRow(values: unknown[]): object;
  addRow(row: object): void;
}

type Callback = (error: Error | null, results: Result[]) => void;

/** Several statements with one Sync after them, in place of a query of pg. */
class Together implements Submittable {
  private readonly results: Result[];
  /** Statements that the server has not confirmed as parsed. */
  private readonly unparsed: Step<object>[] = [];
  private wire: Wire | null = null;
  private current = 0;

  constructor(
    private readonly steps: readonly Step<object>[],
    /** pg replaces it when queries have a time limit. */
    public callback: Callback,
  ) {
    this.results = steps.map(() => new pg.Result('', pg.types));
  }

  submit(connection: Connection): void {
    const wire = (this.wire = connection as unknown as Wire);
    wire.on('parseComplete', this.noteParsed);
    wire.stream.cork();
    for (const step of this.steps) this.send(step, wire);
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.builder.addFields(fields);
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    this.builder.addRow(this.builder.parseRow(fields));
  }

  handleCommandComplete(): void {
    this.current++;
  }

  /** The data was already sent. */
  handleCopyInResponse(): void {}

  handleError(error: Error): void {
    this.wire?.off('parseComplete', this.noteParsed);
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.wire?.off('parseComplete', this.noteParsed);
    this.callback(null, this.results);
  }

  private get builder(): RowBuilder {
    return this.results[this.current] as RowBuilder;
  }

  private readonly noteParsed = (): void => {
    const { name, text } = this.unparsed.shift()!;
    this.wire!.parsedStatements[name] = text;
  };

  private send(step: Step<object>, wire: Wire): void {
    const { name, values, copied } = step;
    if (!(name in wire.parsedStatements) && !this.unparsed.some((other) => other.name === name)) {
      this.unparsed.push(step);
      wire.parse(step);
    }
    wire.bind({ statement: name, values, valueMapper: toParameter });
    wire.describe({ type: 'P' });
    wire.execute();
    if (copied) sendCopied(copied.pieces, wire.stream);
  }
}

/** pg sends a Buffer in binary format. */
function toParameter(value: unknown): Buffer | string | null {
  if (value === null || Buffer.isBuffer(value) || typeof value === 'string') return value;
  return String(value);
}

/** Sent without waiting for the server's request: if the COPY fails, the server drops it. */
function sendCopied(pieces: Buffer[], stream: Duplex): void {
  for (const piece of pieces) {
    const header = Buffer.allocUnsafe(5);
    header.writeUInt32BE(piece.length + 4, 1);
    header[0] = COPY_DATA;
    stream.write(header);
    stream.write(piece);
  }
  stream.write(COPY_DONE);
}
