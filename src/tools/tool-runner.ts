import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EnvVarStore } from '../env-vars/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Problem } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json.js';
import { CodeRunner, CodeTimeout, type FunctionOutcome, type Language } from '../platform/sandbox/code-runner.js';
import type { TurnOwner } from '../platform/turns.js';
import { functionIn, identifierOf } from './function-tool.js';
import type { Tool, ToolVersion } from './tool.entity.js';
import { ToolErrors } from './tools.errors.js';

/** The parts of a tool that are needed to run it. */
export type RunnableTool = Pick<Tool, 'workspaceId' | 'id' | 'name'> & Pick<ToolVersion, 'definition' | 'execution'>;

/** Runs the code of tools in the sandbox, with the environment variables of the workspace and of the tool. */
@Injectable()
export class ToolRunner {
  constructor(
    private readonly db: DataSource,
    private readonly envVars: EnvVarStore,
    private readonly runner: CodeRunner,
    @Inject(CONFIG) private readonly config: Pick<Config, 'toolTimeLimitMs'>,
  ) {}

  /**
   * Runs a tool. Errors of its code are an outcome. Throws tool_not_executable, tool_function_unnamed, env_var_unreadable,
   * tool_timeout and tool_sandbox_failed.
   */
  async run(tool: RunnableTool, inputs: JsonObject, owner: TurnOwner, signal?: AbortSignal): Promise<FunctionOutcome> {
    const { workspaceId, id, execution } = tool;
    if (!execution) throw ToolErrors.tool_not_executable(tool.name);
    const found = functionIn(tool.definition);
    if (!found) throw ToolErrors.tool_function_unnamed(tool.name);
    const env = await this.envVars.environmentOf(this.db.manager, workspaceId, id);
    const language = execution.language.toUpperCase() as Language;
    const timeMs = this.config.toolTimeLimitMs;
    const called = { language, code: execution.code, name: identifierOf(found.name), env, timeMs, signal };
    return this.runner.runFunction(called, inputs, owner).catch((error: unknown) => {
      if (error instanceof Problem) throw error;
      throw error instanceof CodeTimeout ? ToolErrors.tool_timeout(timeMs / 1000) : ToolErrors.tool_sandbox_failed();
    });
  }
}
