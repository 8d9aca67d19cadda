import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { PromptReference } from '../../llm/shared/prompt-reference.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellContext } from './cell-context.js';
import type { ColumnKind } from './kinds.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { SourcePlace } from './source-places.js';

export type { ColumnKind } from './kinds.js';

/** The purposes of columns: asking a model, checking, computing, calling services, and work of people. */
export const COLUMN_GROUPS = ['ask', 'check', 'compute', 'outside', 'people'] as const;
export type ColumnGroup = (typeof COLUMN_GROUPS)[number];

export interface ColumnTypeOptions {
  /** The name in the API, such as CONTAINS. */
  name: string;
  title: string;
  description: string;
  kind: ColumnKind;
  /** The group that offers it in forms. The default depends on the kind. */
  group?: ColumnGroup;
  /** Type of the values. */
  output: 'text' | 'boolean' | 'number' | 'json';
  /** Class of the config; validated and documented like a request body. */
  config: Type<object>;
  /** Other names callers may use. */
  aliases?: string[];
  /** Config keys of earlier API versions and their current names. */
  olderKeys?: Record<string, string>;
  /** Converts earlier forms of a config that differ in more than names. Must not throw. */
  normalize?: (config: JsonObject) => JsonObject;
  /** Increase it when `compute` gives other results: stored results are then not reused. */
  revision?: number;
  /**
   * Stores the price and the latency of its cells in metadata columns beside it. `outlived`: they stay when the column
   * is deleted.
   */
  measured?: { outlived: boolean };
  /** For external results: false when equal inputs must not share one, because it may differ every time. */
  reusesResults?: boolean;
  /** For external results: time limit of a cell in milliseconds, instead of EXTERNAL_TIME_LIMIT_MS. */
  timeLimitMs?: number;
  /**
   * For external results that are computed in groups: number of cells that share one slot of EXTERNAL_CONCURRENCY.
   * Default: 1.
   */
  cellsPerPlace?: number;
  /** Whether results depend on the titles of the sources: renaming one makes the cells stale. */
  readsTitles?: boolean;
  /**
   * Whether values are judgements by question: `{question: {value, reasoning}}`. Grids show the verdict, and filters
   * use it.
   */
  judges?: boolean;
  /** Config keys of texts that name listed sources as `{title}`. Renaming a column changes these texts, too. */
  titleTexts?: string[];
  /**
   * `left`: besides the columns in its config it reads all columns to its left, as `left`. A failed cell or one that
   * was not computed yet is null there, and does not fail this cell.
   */
  reads?: 'left';
  /** Only scorecards have such columns, as steps. Its cells rate those of other columns. */
  scorecardOnly?: boolean;
}

/** A place of a config that takes its value from a column, and that column. */
export interface InputColumn extends SourcePlace {
  id: string;
  title: string;
  /** Whether its cells are plain text that people write; an empty text is no value there. */
  isText: boolean;
}

/** The value that a column to the left has in a row. */
export interface LeftValue {
  /** Its title; `Title (2)` after a column with the same title, so that titles can be keys. */
  title: string;
  value: JsonValue;
}

/** The result of a cell: its value, or why it has none, in words for the reader. */
export type CellOutcome = { value: JsonValue } | { error: string };

/** A type whose cells are computed, one by one (`compute`) or many at a time (`computeMany`). */
export interface ComputingColumnType<C extends object = object> {
  /**
   * Computes one cell. In `config` every reference to a column is replaced by the value of that column in this row, or
   * null. Throw a CellFailure to fail the cell with a message for the reader. It must be quick for all values, because
   * it blocks the process. `left` is empty unless the type reads it.
   */
  compute?(config: C, inputs: InputColumn[], left: LeftValue[]): JsonValue;
  /**
   * Computes many cells, in the order of their configs; used instead of `compute`. For asynchronous results, and for
   * code that must be stoppable. A rejection fails all of them. `lefts` has the columns to the left of each cell.
   */
  computeMany?(configs: C[], inputs: InputColumn[], lefts: LeftValue[][]): Promise<CellOutcome[]>;
  /** Checks rules that decorators of fields cannot express. Throws an Error that describes the problem. */
  check?(config: C): void;
  /**
   * Explains the result of a scorecard's step as briefly as possible: the count, the expectation. `config` holds the
   * values of the row, as for `compute`. Explanations from the sandbox are asynchronous.
   */
  explain?(config: C, inputs: InputColumn[], result: JsonValue): JsonValue | Promise<JsonValue>;
  /** Returns the value to store for a person's answer. Throws an Error that describes why the answer is invalid. */
  accept?(config: C, value: JsonValue): JsonValue;
  /** The prompts of the registry in the config: tables and sheets can be found by them. */
  prompts?(config: C): PromptReference[];
}

/** One cell to compute: the config with the values of its row in place of the columns that it names, and these columns. */
export interface CellRow<C extends object = object> {
  config: C;
  inputs: InputColumn[];
  /** The values of the columns to the left, for types that read them. */
  left: LeftValue[];
}

/** Cost and time of a cell; null or absent values are unknown. */
export interface ComputedMetrics {
  /** Duration of all requests together. Default: the time until the result. */
  latencyMs?: number | null;
  /** US dollars. Default: the sum over the logged calls. The same holds for the tokens. */
  price?: number | null;
  inputTokens?: number | null;
  outputTokens?: number | null;
}

/** Estimated size of the model calls for a cell. */
export interface CellEstimate {
  provider: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/** The external value of a cell, with its cost and time. */
export interface CellResult {
  value: JsonValue;
  metrics?: ComputedMetrics;
  /** Further request logs of the value, besides those that the context has logged. */
  requestLogIds?: number[];
  traceId?: string;
}

/**
 * A type with external results: from a model, a process or an endpoint. It computes one cell. The engine limits
 * concurrency, retries after temporary failures, stores, aborts, and reuses results of equal inputs.
 */
export interface ExternalColumnType<C extends object = object> {
  /**
   * Throw a CellFailure to fail the cell with a message for the reader, and a TransientFailure for one that may be
   * temporary. Errors with a `status` of 408, 429 or 5xx, or the code of a failed connection, are retried as well. It
   * must end soon after `context.signal` is aborted; later results and errors are dropped.
   */
  compute(row: CellRow<C>, context: CellContext): Promise<CellResult>;
  /**
   * Identifies everything the result depends on besides config and values, such as the version of a prompt or a model.
   * Called once for many cells.
   */
  dependsOn?(config: JsonObject, place: { workspaceId: number }): Promise<string>;
  /** Estimates the model calls of a row for plans of operations, without making them; null when unknown. */
  estimate?(row: CellRow<C>, place: { workspaceId: number }): Promise<CellEstimate | null>;
  check?(config: C): void;
  /**
   * Returns an error, in a sentence, when the config refers to something outside of the sheet that does not exist;
   * otherwise null. Called in the transaction that saves the config. The target may still be deleted later.
   */
  findMissing?(tx: EntityManager, config: C, place: { workspaceId: number }): Promise<string | null>;
  prompts?(config: C): PromptReference[];
}

/** Address of a column. */
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

/** One value for all rows, and its row if it is the value of a single one. */
export interface AggregatedValue {
  value: JsonValue;
  row: number | null;
  /** Further values to show. */
  details?: JsonObject;
}

/** A type with one value for all rows. It names the column as its `source`; cells come page by page. */
export interface AggregatingColumnType<C extends object = object> {
  aggregate(config: C, pages: AsyncIterable<EqualCells[]>): Promise<AggregatedValue>;
  check?(config: C): void;
}

/** The reason why a cell could not be computed, in words for the reader, and the cost so far. */
export class CellFailure extends Error {
  constructor(
    message: string,
    readonly spent: Omit<CellResult, 'value'> = {},
  ) {
    super(message);
  }
}

/** A temporary failure: the cell is retried, after the given milliseconds if the service named a time. */
export class TransientFailure extends CellFailure {
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** The group of a type that declares none. */
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

/** The plugin of a type with external results; null for any other type. */
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

  /** Finds a type by name, in any letter case; null when there is none. */
  find(name: string): RegisteredColumnType | null {
    return this.types.get(this.names.get(name.toUpperCase()) ?? '') ?? null;
  }

  /** The type of a stored column. Without its plugin the sheet stays readable, and its cells fail with the reason. */
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
