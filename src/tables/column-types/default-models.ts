import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { toNamedModel } from '../settings/model-name.js';
import { readSettings } from '../settings/read-settings.js';
import type { Engine } from './prompt-config.js';

/**
 * The models of columns that may name one and need not, as the texts that results depend on. `toEngine` reads one again: a
 * cell is computed with the model that its result is remembered for, also when the setting has changed meanwhile.
 */
@Injectable()
export class DefaultModels {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The engine of the column, or else the default model of its workspace, or else that of the server. */
  async language({ engine }: JsonObject, workspaceId: number): Promise<string> {
    if (engine) return JSON.stringify(engine);
    const { defaultModel } = await readSettings(this.db.manager, workspaceId);
    return JSON.stringify(toNamedModel(defaultModel ?? this.config.defaultModel));
  }

  /** The same for embeddings. */
  async embedding({ engine }: JsonObject, workspaceId: number): Promise<string> {
    if (engine) return JSON.stringify(engine);
    const { embeddingModel } = await readSettings(this.db.manager, workspaceId);
    return JSON.stringify(toNamedModel(embeddingModel ?? this.config.embeddingModel));
  }
}

export function toEngine(text: string): Engine {
  return readJson(text) as unknown as Engine;
}
