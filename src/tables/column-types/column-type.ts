import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { PromptReference } from '../../llm/prompt-reference.js';
import type { JsonValue } from '../../platform/json.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';

/**
 * Who gives a cell its value: people (`input`), the server from the cell's sources alone (`deterministic`),
 * or something outside whose answer may differ next time (`external`).
 */
export type ColumnKind = 'input' | 'deterministic' | 'external';

export interface ColumnTypeOptions {
  /** As it is written in the API, such as CONTAINS. */
  name: string;
  title: string;
  description: string;
  kind: ColumnKind;
  /** What its cells hold. */
  output: 'text' | 'boolean' | 'number' | 'json';
  /** Class of the config; validated and documented like a request body. */
  config: Type<object>;
  /** Other names callers may use. */
  aliases?: string[];
  /** Config keys of earlier API versions and what they are called now. */
  olderKeys?: Record<string, string>;
  /** Raise it when `compute` gives other results: stored results are then not reused. */
  revision?: number;
}

/** A type whose cells are computed. */
export interface ComputingColumnType<C extends object = object> {
  /**
   * The value of one cell. In `config` every reference to a column is replaced by the value of that column in this row:
   * null where it has none. Throw a CellFailure to fail the cell with a message for the reader.
   */
  compute(config: C): JsonValue;
  /** Rules a class of fields cannot state. Throws an Error that says what is wrong. */
  check?(config: C): void;
  /** The prompts of the registry that the config refers to: tables and sheets can be found by them. */
  prompts?(config: C): PromptReference[];
}

/** Why a cell could not be computed, in words for the person who looks at it. */
export class CellFailure extends Error {}

const kind = definePlugin<ColumnTypeOptions>('column type');

/** Makes a class a column type. One file is all it takes; see CONTRIBUTING.md. */
export const ColumnType = (options: ColumnTypeOptions): ClassDecorator => kind.decorate(options);

export interface RegisteredColumnType {
  options: ColumnTypeOptions;
  plugin: Partial<ComputingColumnType>;
}

/** All column types of the installation. */
@Injectable()
export class ColumnTypes implements OnModuleInit {
  private types = new Map<string, RegisteredColumnType>();
  private names = new Map<string, string>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.types = kind.collect<Partial<ComputingColumnType>>(this.discovery);
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
