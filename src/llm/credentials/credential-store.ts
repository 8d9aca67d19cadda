import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KeptForAMoment } from '../../platform/kept-for-a-moment.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { ModelFailure } from '../calls/model-failure.js';
import { ModelProviders, providerKey } from '../providers/model-providers.js';
import { ModelCredential } from './model-credential.entity.js';

/** A changed credential takes effect at once in the process that changed it, and after this time in all others. */
const KNOWN_FOR_MS = 2_000;

/** The credential that a call needs. */
export interface WantedCredential {
  workspaceId: number;
  provider: string;
  /** null for the one called "default", or the only one. */
  credential: string | null;
}

/** The credentials for calls: found by name, with decrypted secrets. */
@Injectable()
export class CredentialStore {
  private readonly known = new KeptForAMoment<ModelCredential[]>(KNOWN_FOR_MS);

  constructor(
    private readonly db: DataSource,
    private readonly providers: ModelProviders,
    private readonly secrets: Secrets,
  ) {}

  /** null for providers that need none. Throws ModelFailure, in words for a person who can add one. */
  async choose({ workspaceId, provider, credential: name }: WantedCredential): Promise<ModelCredential | null> {
    if (this.providers.credentialNeeds(provider).secret === null) return null;
    const candidates = await this.find(workspaceId, providerKey(provider));
    const wanted = name ?? 'default';
    const chosen = candidates.find((candidate) => candidate.name === wanted);
    if (chosen) return chosen;
    if (name === null && candidates.length === 1) return candidates[0]!;
    throw new ModelFailure(missing(provider, wanted, candidates), 'PROVIDER_AUTH_ERROR', null);
  }

  /** The credential of a name with its own address; null when there is none. */
  async findWithAddress(
    workspaceId: number,
    provider: string,
    name: string,
  ): Promise<(ModelCredential & { baseUrl: string }) | null> {
    const candidates = await this.find(workspaceId, providerKey(provider));
    const found = candidates.find((candidate) => candidate.name === name);
    return found && found.baseUrl !== null ? (found as ModelCredential & { baseUrl: string }) : null;
  }

  /** Identity of the service behind a credential: its id, its address, and its options. Empty without a credential. */
  async serviceOf(wanted: WantedCredential): Promise<string> {
    const credential = await this.choose(wanted).catch((error: unknown) => {
      if (error instanceof ModelFailure) return null;
      throw error;
    });
    return credential ? JSON.stringify([credential.id, credential.baseUrl, credential.options]) : '';
  }

  encrypt(workspaceId: number, secret: string): Buffer {
    return this.secrets.encrypt(secret, placeOf(workspaceId));
  }

  /** Throws ModelFailure when it was encrypted with another key. */
  decrypt({ workspaceId, provider, name, secret }: ModelCredential): string {
    try {
      return this.secrets.decrypt(secret, placeOf(workspaceId));
    } catch {
      throw new ModelFailure(
        `The secret of the credential "${name}" of ${provider} cannot be read with the SECRETS_KEY of this server. Set it anew under model-credentials.`,
        'PROVIDER_AUTH_ERROR',
        null,
      );
    }
  }

  /** Drops the cached credentials, because something has changed. */
  forget(): void {
    this.known.clear();
  }

  private find(workspaceId: number, provider: string): Promise<ModelCredential[]> {
    const look = () => this.db.manager.findBy(ModelCredential, { workspaceId, provider });
    return this.known.get(`${workspaceId}:${provider}`, look);
  }
}

/** Context that binds an encrypted secret to its workspace. */
export const placeOf = (workspaceId: number): string => `model credential of workspace ${workspaceId}`;

function missing(provider: string, wanted: string, candidates: ModelCredential[]): string {
  const where = 'POST /api/admin/v1/workspaces/{id}/model-credentials';
  if (candidates.length === 0) {
    return `This workspace has no credential for the provider ${provider}. Add one with ${where}.`;
  }
  const names = candidates.map(({ name }) => `"${name}"`).join(', ');
  return `This workspace has no credential "${wanted}" for the provider ${provider}, but ${names}. Name one of them, or add it with ${where}.`;
}
