import type { DynamicModule, Type } from '@nestjs/common';
import type { MixedList, EntitySchema } from 'typeorm';
import type { Config } from './config/config.js';
import type { Settings } from './config/settings.js';
import type { StoredSecret } from './secrets/stored-secrets.js';
import type { GaugeDefinitions, GaugeReadings } from './telemetry/gauges.js';
import type { CounterDefinitions } from './telemetry/metrics.js';

/** A domain, declared by its manifest. `src/domains.ts` lists the manifests; nothing else lists domains. */
export interface Domain {
  /** The contents of the folder, for the list in ARCHITECTURE.md. */
  holds: string;
  /** The domains whose index it may import. All may use `access`. The layer rules read this list as text. */
  uses: readonly string[];
  /**
   * True when others may import its files and not only its index: shared vocabulary. The layer rules read this, too.
   */
  vocabulary?: true;
  module?(process: ProcessKind): Type | DynamicModule | null;
  entities?: Extract<MixedList<Function | EntitySchema>, unknown[]>;
  /** Sections of the API document. */
  tags?: readonly Tag[];
  /** Permissions that its routes may require, besides a key of the workspace. */
  permissions?: readonly string[];
  settings?: Settings;
  /** Columns of values that are encrypted with SECRETS_KEY. */
  secrets?: readonly StoredSecret[];
  counters?: CounterDefinitions;
  /** Gauges whose values come from the database. */
  gauges?: GaugeDefinitions;
  /** Values for gauges of this domain, of the platform, and of domains that it uses. */
  readings?: GaugeReadings;
}

/** Conditions that a module may depend on: whether the process works on queues, and the configuration. */
export interface ProcessKind {
  works: boolean;
  config: Config;
}

export interface Tag {
  name: string;
  description: string;
  /** Position of the section, in the order in which a newcomer needs them. */
  order: number;
}

/** Domains by name, in the order of `src/domains.ts`. */
export const domains = new Map<string, Domain>();

/** Registers a domain under the name of its folder. */
export function defineDomain(name: string, domain: Domain): void {
  if (domains.has(name)) throw new Error(`There are two domains "${name}".`);
  domains.set(name, domain);
}

/** The environment variable of a domain's setting. */
export function variableOf(setting: string): string {
  const owner = [...domains.values()].find(({ settings }) => settings && setting in settings);
  if (!owner) throw new Error(`No manifest declares the setting "${setting}".`);
  return owner.settings![setting]!.env;
}
