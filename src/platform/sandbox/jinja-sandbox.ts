import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../json.js';
import type { TurnOwner } from '../turns.js';
import type { TemplateResult, TemplatesCall } from './quickjs/render-templates.messages.js';
import { Sandbox } from './sandbox.js';
import { Stopped } from './sandbox-process.js';

export interface RenderedTemplate {
  /** The rendered text, or the template as it was when there is an error. */
  text: string;
  /** Names the template used that were not supplied, in the order it came upon them. */
  missing: string[];
  error: string | null;
}

export interface TemplateVariables {
  /** Sorted by position in the text; empty when the template does not parse. */
  names: string[];
  error: string | null;
}

/** A process that does not answer this long after the time limit of its call is ended. */
const GRACE_MS = 400;
const HUNG = 'The templates took too long.';

/**
 * Renders templates of users in Jinja2's language. They run in an interpreter of our own, inside a JavaScript
 * engine compiled to WebAssembly, inside a process: with limits on time, memory, stack and output, and with nothing
 * within reach but the variables supplied. Every call finds the engine as it was when it was loaded, so nothing passes from one to another.
 */
@Injectable()
export class JinjaSandbox {
  constructor(private readonly sandbox: Sandbox) {}

  /**
   * Renders each template with the variables; in the order given. A template that fails, or comes after the
   * time limit, is returned as it was with the reason.
   *
   * `missing` are the names really looked up while rendering: not those in branches not taken, nor those a
   * template is prepared for (`is defined`, `is undefined`, `default`).
   */
  async render(templates: string[], variables: JsonObject, owner: TurnOwner): Promise<RenderedTemplate[]> {
    const results = await this.run({ work: 'render', templates, variables: JSON.stringify(variables) }, owner);
    return results.map(({ text, names, error }, index) => ({ text: text ?? templates[index], missing: names, error }));
  }

  /** The variables each template expects: no names it sets, loops over or declares itself, no global functions. */
  async variables(templates: string[], owner: TurnOwner): Promise<TemplateVariables[]> {
    const results = await this.run({ work: 'variables', templates, variables: '{}' }, owner);
    return results.map(({ names, error }) => ({ names, error }));
  }

  private async run(
    call: Pick<TemplatesCall, 'work' | 'templates' | 'variables'>,
    owner: TurnOwner,
  ): Promise<TemplateResult[]> {
    if (call.templates.length === 0) return [];
    const { templatesMs } = this.sandbox.limits;
    const argument: TemplatesCall = { ...call, timeMs: templatesMs };
    const timeMs = templatesMs + GRACE_MS;
    try {
      return await this.sandbox.call<TemplateResult[]>('templates', { argument, timeMs }, owner);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return call.templates.map(() => ({ text: null, names: [], error: HUNG }));
    }
  }
}
