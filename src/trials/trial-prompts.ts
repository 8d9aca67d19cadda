import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { ValidationProblem } from '../platform/errors/problem.js';
import { PromptErrors, PromptsToRun, type PromptToRun } from '../prompts/index.js';
import type { TrialToMake } from './trial.js';
import { newTraceId } from './trial-logs.js';
import type { TrialRequest } from './trials.dto.js';
import { TrialErrors } from './trials.errors.js';

/** Finds the prompt that a request means, and fills it in. */
@Injectable()
export class TrialPrompts {
  constructor(private readonly prompts: PromptsToRun) {}

  /** Prepares a trial. Throws the errors of finding a version, and trial_model_missing. */
  async prepare({ workspaceId }: Caller, body: TrialRequest): Promise<TrialToMake> {
    const toRun = await this.find(workspaceId, body);
    const variables = body.variables ?? {};
    const { model: engine } = body;
    const overrides = engine && {
      provider: engine.provider,
      model: engine.name,
      apiType: engine.api_type,
      parameters: engine.parameters,
    };
    const filled = await this.prompts.fill(toRun, { ...overrides, variables }, workspaceId);
    const { model, kwargs, warning } = filled;
    if (!model || model.name === null || !kwargs) throw TrialErrors.trial_model_missing();
    const called = {
      provider: model.provider,
      model: model.name,
      apiType: model.apiType,
      prompt: toRun.source && { ...toRun.source, label: body.label || null },
      promptInputVariables: variables,
    };
    return { traceId: newTraceId(), called, kwargs, credential: body.credential || null, warning };
  }

  private async find(workspaceId: number, body: TrialRequest): Promise<PromptToRun> {
    const { prompt, prompt_id: id, prompt_name: name, version, label } = body;
    checkOnePrompt(body);
    if (prompt) return this.prompts.inline(workspaceId, prompt, null);
    const choice = { version, label };
    if (name) return this.prompts.find(workspaceId, name, { ...choice, isName: true });
    const found = await this.prompts.find(workspaceId, String(id), choice);
    // Digits may also be the name of another prompt.
    if (found.source?.id !== id) throw PromptErrors.prompt_not_found(String(id));
    return found;
  }
}

/** Throws a 422 unless exactly one prompt is given, with at most one way to choose its version. */
function checkOnePrompt({ prompt, prompt_id: id, prompt_name: name, version, label }: TrialRequest): void {
  if ([prompt, id, name].filter(Boolean).length !== 1) {
    throw invalid('prompt', 'Give exactly one of prompt, prompt_id and prompt_name');
  }
  if (version && label) throw invalid('label', 'version and label cannot be combined');
  if (prompt && (version || label)) {
    throw invalid(version ? 'version' : 'label', 'Only a prompt of the registry has versions and labels');
  }
}

const invalid = (field: string, msg: string): ValidationProblem =>
  new ValidationProblem([{ loc: ['body', field], msg, type: 'value_error' }]);
