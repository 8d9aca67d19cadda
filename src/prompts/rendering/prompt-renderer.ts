import { Injectable } from '@nestjs/common';
import type { Prompt } from '../../llm/shared/blueprint.js';
import type { JsonObject } from '../../platform/json.js';
import { JinjaSandbox, type RenderedTemplate } from '../../platform/sandbox/jinja-sandbox.js';
import type { TurnOwner } from '../../platform/turns.js';
import { PromptPass } from './prompt-pass.js';
import { Warnings } from './warnings.js';

export interface RenderedPrompt {
  prompt: Prompt;
  parameters: JsonObject;
  /** Lines for people; null when all is well. */
  warning: string | null;
}

/** Fills the variables of a prompt in. Nothing a caller supplies can make it fail. */
@Injectable()
export class PromptRenderer {
  constructor(private readonly jinja: JinjaSandbox) {}

  /**
   * Renders the texts of a prompt, and replaces message placeholders and variables for media, images, tools and schemas
   * with the supplied values. `response_format` is the only parameter that is rendered. Supplied values are never rendered.
   * Prompts without Jinja texts need no sandbox.
   *
   * `owner` keeps the use of the sandbox fair.
   *
   * A text that cannot be rendered stays unchanged. The warning names it if it is a Jinja template.
   */
  async render(
    prompt: Prompt,
    parameters: JsonObject,
    variables: JsonObject,
    owner: TurnOwner,
  ): Promise<RenderedPrompt> {
    const results = await this.renderTemplates(collectTemplates(prompt, parameters), variables, owner);
    const warnings = new Warnings();
    const pass = new PromptPass(variables, warnings, (template, place) => {
      const result = results.get(template);
      if (!result) return template;
      if (result.error === null) warnings.addUndefined(place, result.missing);
      else warnings.add(`The template in ${place} was left as it is: ${result.error}`);
      return result.text;
    });
    return { prompt: pass.prompt(prompt), parameters: pass.parameters(parameters), warning: warnings.toText() };
  }

  /** One call for all. Equal texts are rendered once. */
  private async renderTemplates(
    templates: string[],
    variables: JsonObject,
    owner: TurnOwner,
  ): Promise<Map<string, RenderedTemplate>> {
    if (templates.length === 0) return new Map();
    const results = await this.jinja.render(templates, variables, owner);
    return new Map(templates.map((template, index) => [template, results[index]]));
  }
}

/** The Jinja texts a prompt has rendered, found by going through it without supplying anything. */
function collectTemplates(prompt: Prompt, parameters: JsonObject): string[] {
  const templates = new Set<string>();
  const pass = new PromptPass(null, new Warnings(), (template) => {
    templates.add(template);
    return template;
  });
  pass.prompt(prompt);
  pass.parameters(parameters);
  return [...templates];
}
