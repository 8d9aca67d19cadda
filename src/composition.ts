import type { ModuleMetadata } from '@nestjs/common';
import { getMetadataArgsStorage } from 'typeorm';
import './domains.js';
import { type Config, platformSettings } from './platform/config/config.js';
import { readSettings, type Setting } from './platform/config/settings.js';
import { type Domain, domains, type ProcessKind, type Tag } from './platform/domain.js';
import { IdempotencyKey } from './platform/http/idempotency/idempotency-key.entity.js';
import { SecretsCheck } from './platform/secrets/secrets-check.entity.js';
import type { KeyedReading } from './platform/telemetry/database-gauges.js';
import { platformDatabaseGauges, platformReadings } from './platform/telemetry/gauges.js';
import type { MetricDefinition } from './platform/telemetry/metric-definition.js';
import { type CounterDefinition, platformCounters } from './platform/telemetry/metrics.js';

const all = (): Domain[] => [...domains.values()];

export function domainModules(process: ProcessKind): NonNullable<ModuleMetadata['imports']> {
  return all().flatMap((domain) => domain.module?.(process) ?? []);
}

/** Every table of the server. A test proves that the migrations make exactly these. */
export const entities = () => [IdempotencyKey, SecretsCheck, ...all().flatMap((domain) => domain.entities ?? [])];

export const tableNames = () =>
  getMetadataArgsStorage()
    .filterTables(entities().filter((entity) => typeof entity === 'function'))
    .map(({ name }) => name!);

/** Every environment variable that the server reads. */
export const settings = () =>
  merged<Setting<unknown>>([platformSettings, ...all().map((domain) => domain.settings ?? {})]);

/** Every column of values that are encrypted with SECRETS_KEY. */
export const storedSecrets = () => all().flatMap((domain) => domain.secrets ?? []);

export const counters = () =>
  merged<CounterDefinition<string>>([platformCounters, ...all().map((domain) => domain.counters ?? {})]);

export const gauges = () =>
  merged<MetricDefinition<string>>([platformDatabaseGauges, ...all().map((domain) => domain.gauges ?? {})]);

/** Unlike definitions, readings of several domains may have the same key: each adds values to the gauge. */
export const gaugeReadings = () =>
  [platformReadings, ...all().map((domain) => domain.readings ?? {})].flatMap((readings) =>
    Object.entries(readings).flatMap(([key, some]) => some.map((read): KeyedReading => [key, read])),
  );

/** The sections of the API document, in the order in which a newcomer needs them. */
export function tags(): Tag[] {
  const health = { name: 'Operation of the server', description: 'Health.', order: Infinity };
  return [...all().flatMap((domain) => domain.tags ?? []), health].toSorted((a, b) => a.order - b.order);
}

/** Throws a ConfigurationError naming every problem. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  return readSettings(settings(), env) as unknown as Config;
}

/** Merges parts of domains. Throws for a repeated name, which would otherwise replace the other part silently. */
function merged<T>(parts: Record<string, T>[]): Record<string, T> {
  const whole = new Map<string, T>();
  for (const [key, value] of parts.flatMap((part) => Object.entries(part))) {
    if (whole.has(key)) throw new Error(`Two manifests declare "${key}".`);
    whole.set(key, value);
  }
  return Object.fromEntries(whole);
}
