import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import type { JsonObject } from '../json.js';
import type { TurnOwner } from '../turns.js';
import type { ThreadCall, ThreadResult } from './messages.js';
import { ThreadPool } from './thread-pool.js';

export interface RenderedTemplate {
  /** The rendered text, or the template as it was when there is an error. */
  text: string;
  /** Names the template used that were not supplied, in the order it came upon them. */
  missing: string[];
  error: string | null;
}

export interface TemplateVariables {
  /** In the order of the text; none when the template does not parse. */
  names: string[];
  error: string | null;
}

export interface SandboxOptions {
  /** For all templates of one call together. */
  deadlineMs: number;
  threads: number;
}

export const SANDBOX_OPTIONS = Symbol('SANDBOX_OPTIONS');

const DEFAULTS: SandboxOptions = { deadlineMs: 500, threads: 2 };
// 128 KB of stack: with more, deep recursion breaks the interpreter instead of ending the template.
const LIMITS = { memoryBytes: 64 << 20, stackBytes: 128 << 10, outputLimit: 10_000_000 };
/** For calls of which nobody says for whom they are: these share one turn. */
const NOBODY: TurnOwner = { workspaceId: 0, keyId: null };
const HUNG = 'The templates took too long.';

/**
 * Renders templates of users in Jinja2's language. They run in an interpreter of our own, inside a JavaScript
 * engine compiled to WebAssembly, inside a thread: with limits on time, memory, stack and output, and with nothing
 * within reach but the variables supplied. Every call finds the engine as it was when it was loaded, so nothing passes from one to another.
 */
@Injectable()
export class JinjaSandbox implements OnApplicationShutdown {
  private readonly options: SandboxOptions;
  private readonly pool: ThreadPool;

  constructor(@Optional() @Inject(SANDBOX_OPTIONS) options?: Partial<SandboxOptions>) {
    this.options = { ...DEFAULTS, ...options };
    this.pool = new ThreadPool(this.options.threads, LIMITS);
  }

  /**
   * Renders each template with the variables; in the order given. A template that fails, or comes too late for
   * the deadline, is returned as it was with the reason.
   *
   * `missing` are the names really looked up while rendering: not those in branches not taken, nor those a
   * template is prepared for (`is defined`, `is undefined`, `default`).
   */
  async render(templates: string[], variables: JsonObject, owner = NOBODY): Promise<RenderedTemplate[]> {
    const results = await this.run({ work: 'render', templates, variables: JSON.stringify(variables) }, owner);
    return results.map(({ text, names, error }, index) => ({ text: text ?? templates[index], missing: names, error }));
  }

  /** The variables each template expects: no names it sets, loops over or declares itself, no global functions. */
  async variables(templates: string[], owner = NOBODY): Promise<TemplateVariables[]> {
    const results = await this.run({ work: 'variables', templates, variables: '{}' }, owner);
    return results.map(({ names, error }) => ({ names, error }));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  private async run(call: Omit<ThreadCall, 'deadlineMs'>, owner: TurnOwner): Promise<ThreadResult[]> {
    if (call.templates.length === 0) return [];
    const results = await this.pool.run({ ...call, deadlineMs: this.options.deadlineMs }, owner);
    return results ?? call.templates.map(() => ({ text: null, names: [], error: HUNG }));
  }
}
