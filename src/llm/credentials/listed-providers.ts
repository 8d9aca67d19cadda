import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type CredentialNeeds, ModelProviders } from '../providers/model-providers.js';
import { ModelCredential } from './model-credential.entity.js';

/** A provider, and the credentials of the workspace for it. */
export interface ListedProvider {
  name: string;
  needs: CredentialNeeds;
  canChat: boolean;
  canEmbed: boolean;
  /** Names of credentials. */
  credentials: string[];
}

@Injectable()
export class ListedProviders {
  constructor(
    private readonly db: DataSource,
    private readonly providers: ModelProviders,
  ) {}

  /** By name; also those that only credentials name. */
  async list({ workspaceId }: Caller): Promise<ListedProvider[]> {
    const credentials = await this.db.manager.find(ModelCredential, {
      select: { provider: true, name: true },
      where: { workspaceId },
      order: { name: 'ASC' },
    });
    const names = new Set([...this.providers.registered, ...credentials.map(({ provider }) => provider)]);
    return [...names].sort().map((name) => {
      const { call, embed } = this.providers.caller(name);
      const own = credentials.filter(({ provider }) => provider === name);
      return {
        name,
        needs: this.providers.credentialNeeds(name),
        canChat: call !== undefined,
        canEmbed: embed !== undefined,
        credentials: own.map((credential) => credential.name),
      };
    });
  }
}
