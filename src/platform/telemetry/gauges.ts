import type { EntityManager } from 'typeorm';
import type { MetricDefinition } from './metric-definition.js';

export type GaugeDefinitions = Record<string, MetricDefinition<string>>;

/** The labels of gauges, by the key of their definition. */
export type LabelsOf<D extends GaugeDefinitions> = { readonly [K in keyof D]: D[K]['labelNames'][number] };

export interface GaugeValue<Label extends string = string> {
  labels: Readonly<Record<Label, string>>;
  value: number;
}

/**
 * Reads values over all workspaces. Every scraped process does so every few seconds, so the statement has to stay cheap for any
 * amount of rows.
 */
export type GaugeReading<Label extends string = string> = (db: EntityManager) => Promise<GaugeValue<Label>[]>;

export const platformDatabaseGauges = {
  oldestWork: {
    name: 'tracesheet_oldest_work_age_seconds',
    help: 'Age of the oldest work that waits for a worker, by kind; 0 while none waits. For cells: since their recalculation was queued and not begun, or its worker died. Every process shows the same.',
    labelNames: ['kind'],
    worry: 'It grows beyond minutes: there are too few workers, or what they do at the moment is slow.',
  },
  databaseSize: {
    name: 'tracesheet_database_size_bytes',
    help: 'Size of the database with its indexes, without the write-ahead log. Every process shows the same.',
    labelNames: [],
    worry: 'It comes near the size of the disk.',
  },
} as const satisfies GaugeDefinitions;

/** Gauges whose values come from the database. Every manifest adds those of its domain to this interface. */
export interface Gauges extends LabelsOf<typeof platformDatabaseGauges> {}

/** Readings by the gauge that shows them; several domains may contribute to one gauge. */
export type GaugeReadings = { readonly [K in keyof Gauges]?: readonly GaugeReading<Gauges[K]>[] };

export const platformReadings: GaugeReadings = {
  databaseSize: [
    async (db) => {
      const [{ bytes }] = await db.query<[{ bytes: number }]>(
        'SELECT pg_database_size(current_database())::float8 AS bytes',
      );
      return [{ labels: {}, value: bytes }];
    },
  ],
};

/** SQL for the age of a moment in seconds; 0 when there is none. */
export const secondsSince = (moment: string): string =>
  `coalesce(greatest(extract(epoch FROM now() - (${moment})), 0), 0)::float8`;
