import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, demand } from '../access/index.js';
import type { JsonObject } from '../platform/json.js';
import type { FunctionOutcome } from '../platform/sandbox/code-runner.js';
import type { VersionChoice } from '../registry/index.js';
import { ToolRunner } from './tool-runner.js';
import { TOOL_LABELS, TOOLS } from './tool.registry.js';
import type { ToolExecution } from './tool.schema.js';

export interface ToolTest extends VersionChoice {
  inputs: JsonObject;
  /** Replaces the execution of the version. */
  execution: ToolExecution | null;
  definition: JsonObject | null;
}

@Injectable()
export class ToolTestingService {
  constructor(
    private readonly db: DataSource,
    private readonly runner: ToolRunner,
  ) {}

  /** Runs a version of a tool, or an unsaved one. Stores nothing. */
  async test(caller: Caller, identifier: string, { inputs, ...given }: ToolTest): Promise<FunctionOutcome> {
    const { manager } = this.db;
    const tool = await TOOLS.get(manager, caller.workspaceId, identifier);
    demand(caller, 'TOOL_EDIT');
    const { version } = await TOOL_LABELS.choose(manager, tool, given);
    const definition = given.definition ?? version.definition;
    const execution = given.execution ?? version.execution;
    return this.runner.run({ ...tool, definition, execution }, inputs, caller);
  }
}
