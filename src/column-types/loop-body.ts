import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure, type CellRow } from '../grid/column-type/column-type.js';
import type { LoopConfig } from './loop-config.js';

/** The key under which a loop maps variables to columns. */
export const MAPPINGS = 'variable_mappings';

/** A row of a loop: its config with the values of the variables that columns stand for. */
export type LoopRow = CellRow<LoopConfig & { [MAPPINGS]?: JsonObject }>;

/** One iteration: the values that change between iterations, and its name. */
export interface Iteration {
  values: JsonObject;
  name: string;
}

/** The body of a loop. */
export interface LoopBodyPlugin {
  /** Identifies everything the result depends on besides the config and the values. Called once for many cells. */
  dependsOn(config: JsonObject, place: { workspaceId: number }): Promise<string>;
  /**
   * Returns the function that runs an iteration. `special` are the variables whose values come with each iteration.
   * Throws a CellFailure before anything is spent.
   */
  start(row: LoopRow, special: string[], context: CellContext): Promise<(iteration: Iteration) => Promise<JsonValue>>;
}

const kind = definePlugin<{ name: LoopConfig['loop_type'] }>('loop body');

/** Registers a class as the body of loops of this `loop_type`. */
export const LoopBody = (name: LoopConfig['loop_type']): ClassDecorator => kind.decorate({ name });

/** The registered bodies of loops. */
@Injectable()
export class LoopBodies implements OnModuleInit {
  private bodies = new Map<string, { plugin: LoopBodyPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.bodies = kind.collect<LoopBodyPlugin>(this.discovery);
  }

  get(name: string): LoopBodyPlugin {
    const body = this.bodies.get(name);
    if (!body) throw new CellFailure(`This server has nothing to repeat for the loop_type "${name}".`);
    return body.plugin;
  }
}
