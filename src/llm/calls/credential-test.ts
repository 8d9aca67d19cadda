import { newMessage, newChat } from '../shared/blueprint.js';
import { Injectable } from '@nestjs/common';
import type { ModelCredential } from '../credentials/model-credential.entity.js';
import { textPart } from '../messages/parts.js';
import { ModelProviders } from '../providers/model-providers.js';
import { ModelCalls } from './model-calls.js';

export interface CredentialTest {
  works: boolean;
  message: string;
  latencyMs: number;
}

const LIMIT_MS = 30_000;

/** Finds out whether a credential works, by calling a model with it. */
@Injectable()
export class CredentialTester {
  constructor(
    private readonly calls: ModelCalls,
    private readonly providers: ModelProviders,
  ) {}

  /** Never throws: an error is the result. */
  async test({ workspaceId, provider, name }: ModelCredential, model: string): Promise<CredentialTest> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const start = performance.now();
    const end = (works: boolean, message: string) => ({
      works,
      message,
      latencyMs: Math.round(performance.now() - start),
    });
    try {
      const apiType = this.providers.apiType(provider, null);
      const prompt = newChat([newMessage('user', null, [textPart('Answer with the word yes.')])]);
      const kwargs = this.providers.kwargs(provider, { prompt, model, apiType, parameters: {} });
      const { reading } = await this.calls.call({ workspaceId, provider, credential: name, signal, kwargs, apiType });
      return end(true, `${reading.answeredBy ?? model} answered.`);
    } catch (error) {
      if (signal.aborted) return end(false, `${provider} did not answer within ${LIMIT_MS / 1000} seconds.`);
      return end(false, error instanceof Error ? error.message : String(error));
    }
  }
}
