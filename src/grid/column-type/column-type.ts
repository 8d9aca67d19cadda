import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { PromptReference } from '../../llm/prompt-reference.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellContext } from './cell-context.js';
import type { ColumnKind } from './kinds.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { SourcePlace } from './source-places.js';

export type { ColumnKind } from './kinds.js';

/** What columns are for: asking a model, checking, computing, calling services, and work of people. */
export const COLUMN_GROUPS = ['ask', 'check', 'compute', 'outside', 'people'] as const;
export type ColumnGroup = (typeof COLUMN_GROUPS)[number];

export interface ColumnTypeOptions {
  /** As it is written in the API, such as CONTAINS. */
  name: string;
  title: string;
  description: string;
  kind: ColumnKind;
  /** Where forms offer it. By default that follows from its kind. */
  group?: ColumnGroup;
  /** What its cells hold. */
  output: 'text' | 'boolean' | 'number' | 'json';
  /** Class of the config; validated and documented like a request body. */
  config: Type<object>;
  /** Other names callers may use. */
  aliases?: string[];
  /** Config keys of earlier API versions and what they are called now. */
  olderKeys?: Record<string, string>;
  /** Where earlier forms of a config differ in more than names: the config in today's form. Must not throw. */
  normalize?: (config: JsonObject) => JsonObject;
  /** Raise it when `compute` gives other results: stored results are then not reused. */
  revision?: number;
  /**
   * The price and the latency of its cells are kept, in metadata columns beside it. `outlived`: they stay when the column
   * is deleted.
   */
  measured?: { outlived: boolean };
  /** For results from outside: false when equal inputs must not share one, because it may be another every time. */
  reusesResults?: boolean;
  /** For results from outside: how long one cell may take, in milliseconds, instead of EXTERNAL_TIME_LIMIT_MS. */
  timeLimitMs?: number;
  /**
   * For results from outside: so many cells take one place of EXTERNAL_CONCURRENCY together, because they are not waited for one
   * by one but computed in groups. One cell takes one place when it is left out.
   */
  cellsPerPlace?: number;
  /** Its results depend on the titles of the columns it reads: renaming one makes its cells stale. */
  readsTitles?: boolean;
  /** Its values are judgements by question: `{question: {value, reasoning}}`. Grids show and filters ask for the verdict. */
  judges?: boolean;
  /** Config keys of texts that name its listed sources as `{title}`: a column that is renamed is renamed in them. */
  titleTexts?: string[];
  /**
   * `left`: besides the columns that its config names it reads every column to its left, whatever those are, and gets them as
   * `left`. One that failed or was not computed yet is null there instead of failing the cell.
   */
  reads?: 'left';
  /** Only scorecards have such columns, as steps: its cells say how good others are. */
  scorecardOnly?: boolean;
}

/** A place of a config that takes its value from a column, and that column. */
export interface InputColumn extends SourcePlace {
  id: string;
  title: string;
  /** Whether its cells are plain text that people write; in those the empty text means nothing. */
  isText: boolean;
}

/** The value that a column to the left has in a row. */
export interface LeftValue {
  /** Its title; `Title (2)` where a column further left has the same one, so that titles can be keys. */
  title: string;
  value: JsonValue;
}

/** What became of one cell: its value, or why it has none, in words for the reader. */
export type CellOutcome = { value: JsonValue } | { error: string };

/** A type whose cells are computed, one by one (`compute`) or many at a time (`computeMany`). */
export interface ComputingColumnType<C extends object = object> {
  /**
   * The value of one cell. In `config` every reference to a column is replaced by the value of that column in this row:
   * null where it has none. Throw a CellFailure to fail the cell with a message for the reader.
   * It must be quick whatever the values are: nothing else runs meanwhile. `left` is empty unless the type reads it.
   */
  compute?(config: C, inputs: InputColumn[], left: LeftValue[]): JsonValue;
  /**
   * The outcomes of many cells, in the order of their configs; used instead of `compute`. For what answers later, or
   * must be evaluated where it can be stopped. A rejection fails all of them. `lefts` has what is to the left of each.
   */
  computeMany?(configs: C[], inputs: InputColumn[], lefts: LeftValue[][]): Promise<CellOutcome[]>;
  /** Rules a class of fields cannot state. Throws an Error that says what is wrong. */
  check?(config: C): void;
  /**
   * Why a step of a scorecard has its result, as short as possible: what was counted, what was expected. `config` holds the
   * values of the row, as for `compute`. What takes the sandbox answers later.
   */
  explain?(config: C, inputs: InputColumn[], result: JsonValue): JsonValue | Promise<JsonValue>;
  /** For cells that people answer: the value to store. Throws an Error that says why the answer does not fit. */
  accept?(config: C, value: JsonValue): JsonValue;
  /** The prompts of the registry that the config refers to: tables and sheets can be found by them. */
  prompts?(config: C): PromptReference[];
}

/** One cell to compute: the config with the values of its row in place of the columns that it names, and these columns. */
export interface CellRow<C extends object = object> {
  config: C;
  inputs: InputColumn[];
  /** What stands to the left, for types that read it. */
  left: LeftValue[];
}

/** What computing a cell took; null or left out where it is not known. */
export interface ComputedMetrics {
  /** How long the requests took together; the time until the result came, when it is left out. */
  latencyMs?: number | null;
  /** US dollars; the sum over the calls that were logged, when it is left out. The same holds for the tokens. */
  price?: number | null;
  inputTokens?: number | null;
  outputTokens?: number | null;
}

/** What calls of a model for a cell would take. */
export interface CellEstimate {
  provider: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/** The value of a cell from outside, and what it took. */
export interface CellResult {
  value: JsonValue;
  metrics?: ComputedMetrics;
  /** Request logs the value was made by, besides those that the context has logged. */
  requestLogIds?: number[];
  traceId?: string;
}

/**
 * A type whose results come from outside: a model, a process, an endpoint. It computes one cell; the engine owns how many
 * are computed at once, repeats after failures that may pass, stores, aborts, and reuses results of equal inputs.
 */
export interface ExternalColumnType<C extends object = object> {
  /**
   * Throw a CellFailure to fail the cell with a message for the reader, and a TransientFailure where another try may help.
   * Errors that carry `status` 408, 429 or 5xx, or the code of a failed connection, are tried again as well. It must end
   * soon after `context.signal` is aborted; what it then gives or throws is dropped.
   */
  compute(row: CellRow<C>, context: CellContext): Promise<CellResult>;
  /** What the result depends on besides config and values, such as the version of a prompt or a model; asked once for many cells. */
  dependsOn?(config: JsonObject, place: { workspaceId: number }): Promise<string>;
  /** What computing the row would take, without doing it: plans of operations add it up. null when nobody can say. */
  estimate?(row: CellRow<C>, place: { workspaceId: number }): Promise<CellEstimate | null>;
  check?(config: C): void;
  /**
   * Asked in the transaction that saves a config: what it refers to outside of the sheet and does not exist, in a sentence; null
   * when all of it does. It may be deleted later all the same.
   */
  findMissing?(tx: EntityManager, config: C, place: { workspaceId: number }): Promise<string | null>;
  prompts?(config: C): PromptReference[];
}

/** Where a column is. */
export interface SourceAddress {
  tableId: string;
  sheetId: string;
  columnId: string;
}

/** A type whose cells show those of a column of another sheet. */
export interface MirroringColumnType<C extends object = object> {
  mirrors(config: C): SourceAddress;
}

/** Cells of a column that hold the same value. */
export interface EqualCells {
  value: JsonValue;
  /** Their rows, in no particular order. */
  rows: number[];
}

/** One value for all rows, and the row that it was found in, where it is that of one. */
export interface AggregatedValue {
  value: JsonValue;
  row: number | null;
  /** What else is shown beside it. */
  details?: JsonObject;
}

/** A type that has one value for all rows. It names the column as its `source`; cells come page by page. */
export interface AggregatingColumnType<C extends object = object> {
  aggregate(config: C, pages: AsyncIterable<EqualCells[]>): Promise<AggregatedValue>;
  check?(config: C): void;
}

/** Why a cell could not be computed, in words for the person who looks at it. What was spent all the same goes with it. */
export class CellFailure extends Error {
  constructor(
    message: string,
    readonly spent: Omit<CellResult, 'value'> = {},
  ) {
    super(message);
  }
}

/** A failure that may pass: the cell is tried again, after so many milliseconds where the service has said how long. */
export class TransientFailure extends CellFailure {
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Where a type stands that does not say it. */
export function groupOf({ group, kind: of, output }: ColumnTypeOptions): ColumnGroup {
  if (group) return group;
  if (of === 'input' || of === 'manual') return 'people';
  if (of === 'external' || of === 'reference' || of === 'imported') return 'outside';
  return output === 'boolean' ? 'check' : 'compute';
}

/** Whether every cell of a type says yes or no. */
export const hasVerdicts = ({ judges, output }: ColumnTypeOptions): boolean => judges === true || output === 'boolean';

const kind = definePlugin<ColumnTypeOptions>('column type');

/** Makes a class a column type. One file is all it takes; see CONTRIBUTING.md. */
export const ColumnType = (options: ColumnTypeOptions): ClassDecorator => kind.decorate(options);

export interface RegisteredColumnType {
  options: ColumnTypeOptions;
  plugin: Partial<
    ComputingColumnType & MirroringColumnType & AggregatingColumnType & Pick<ExternalColumnType, 'findMissing'>
  >;
}

/** The plugin of a type whose results come from outside; any other one computes at once. */
export function externalTypeOf({ options, plugin }: RegisteredColumnType): ExternalColumnType {
  if (options.kind === 'external') return plugin as unknown as ExternalColumnType;
  return {
    compute: ({ config, inputs, left }) => Promise.resolve({ value: plugin.compute?.(config, inputs, left) ?? null }),
  };
}

/** All column types of the installation. */
@Injectable()
export class ColumnTypes implements OnModuleInit {
  private types = new Map<string, RegisteredColumnType>();
  private names = new Map<string, string>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.types = kind.collect<RegisteredColumnType['plugin']>(this.discovery);
    for (const { options } of this.types.values()) {
      for (const name of [options.name, ...(options.aliases ?? [])]) this.addName(name.toUpperCase(), options.name);
    }
  }

  list(): RegisteredColumnType[] {
    return [...this.types.values()].sort((a, b) => (a.options.name < b.options.name ? -1 : 1));
  }

  /** The type a caller means; letter case does not matter. null when there is none. */
  find(name: string): RegisteredColumnType | null {
    return this.types.get(this.names.get(name.toUpperCase()) ?? '') ?? null;
  }

  /** The type of a stored column. When its plugin is gone the sheet stays readable and its cells say why they fail. */
  get(name: string): RegisteredColumnType {
    return this.types.get(name) ?? missingType(name);
  }

  private addName(name: string, type: string): void {
    const other = this.names.get(name);
    if (other) throw new Error(`The column types ${other} and ${type} both answer to ${name}. Remove one alias.`);
    this.names.set(name, type);
  }
}

class AnyConfig {}

function missingType(name: string): RegisteredColumnType {
  const description = `The column type ${name} is not installed on this server.`;
  const options = { name, title: name, description, kind: 'deterministic', output: 'json', config: AnyConfig } as const;
  const plugin = {
    compute(): never {
      throw new CellFailure(description);
    },
  };
  return { options, plugin };
}
