import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import {
  CredentialStore,
  ModelCredentialsService,
  type ModelCredential,
  ModelProviders,
  ProvidersModule,
} from '../llm/index.js';
import { platformSettings } from '../platform/config/config.js';
import { readSettings } from '../platform/config/settings.js';
import { OutboundClient } from '../platform/outbound/outbound.client.js';
import { Secrets, type SecretsKeys } from '../platform/secrets/secrets.js';
import { LaunchError } from './launch-error.js';

/** Manages model credentials without a server. */
export async function credentialsService(db: DataSource, keys: SecretsKeys): Promise<ModelCredentialsService> {
  const app = await NestFactory.createApplicationContext(ProvidersModule, { logger: false });
  const providers = app.get(ModelProviders);
  await app.close();
  const { outboundAllowPrivate } = platformSettings;
  const outbound = new OutboundClient(readSettings({ outboundAllowPrivate }, process.env));
  const store = new CredentialStore(db, providers, new Secrets(keys));
  return new ModelCredentialsService(db, providers, store, outbound);
}

/** `region=eu-west-1` and more of these. */
export function toOptions(given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new LaunchError(`--option should be NAME=VALUE, not ${pair}.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export function describeCredential({ id, provider, name, lastFour, baseUrl }: ModelCredential): string {
  return [id, provider, name, `…${lastFour}`, baseUrl ?? ''].join('\t');
}
