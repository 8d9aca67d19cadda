import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CredentialStore } from '../llm/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import type { JsonObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { toNamedModel } from './model-name.js';
import { readSettings, type Settings } from '../grid/settings/read-settings.js';
import type { Engine } from './prompt-config.js';

/**
 * The models of columns without a model of their own. They are texts that results depend on, with the service that
 * answers. `toEngine` parses one, so that a cell is computed with the model that its result is stored for, even if the
 * setting has changed meanwhile.
 */
@Injectable()
export class DefaultModels {
  constructor(
    private readonly db: DataSource,
    private readonly credentials: CredentialStore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The engine of the column, or else the default model of its workspace, or else that of the server. */
  language(config: JsonObject, workspaceId: number): Promise<string> {
    return this.describe(config, workspaceId, ({ defaultModel }) => defaultModel ?? this.config.defaultModel);
  }

  /** The same for embeddings. */
  embedding(config: JsonObject, workspaceId: number): Promise<string> {
    return this.describe(config, workspaceId, ({ embeddingModel }) => embeddingModel ?? this.config.embeddingModel);
  }

  private async describe(
    { engine: given, credential }: JsonObject,
    workspaceId: number,
    usual: (settings: Settings) => string,
  ): Promise<string> {
    const engine = given ? (given as Engine) : toNamedModel(usual(await readSettings(this.db.manager, workspaceId)));
    const wanted = { workspaceId, provider: engine.provider, credential: (credential as string | null) || null };
    const service = await this.credentials.serviceOf(wanted);
    return JSON.stringify({ engine, service });
  }
}

export function toEngine(text: string): Engine {
  return readJson<{ engine: Engine }>(text).engine;
}
