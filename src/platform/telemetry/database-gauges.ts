import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { isConnectionFailure } from '../errors/failures.js';
import { withinMoment } from '../database/within-time.js';
import type { GaugeReading, GaugeValue } from './gauges.js';
import { Metrics } from './metrics.js';

/**
 * Values are kept this long, so that frequent scrapes do not load the database. It counts from the end of a reading, unlike
 * `KeptForAMoment`: a slow database is not read by two scrapes at once.
 */
const KEPT_MS = 10_000;
/** Timeout of one reading. */
const LIMIT_MS = 1000;
/** A scrape waits this long for readings. Prometheus gives up after 10 seconds. */
const PATIENCE_MS = 2000;

/** Injection token of the readings of all domains, each with the key of its gauge. */
export const GAUGE_READINGS = Symbol('GAUGE_READINGS');

export type KeyedReading = readonly [key: string, read: GaugeReading];

interface Source {
  name: string;
  gauge: Gauge;
  read: GaugeReading;
  shown: GaugeValue[];
  isFailing: boolean;
}

/**
 * Gauges whose values come from the database. They are read one after the other, each with a time limit: a reading that fails takes only
 * its own values out of the gauge, because an old value would look like a current one.
 */
@Injectable()
export class DatabaseGauges {
  private readonly log = new Logger(DatabaseGauges.name);
  private readonly sources: Source[];
  private underWay: Promise<void> | null = null;
  private readAtMs = -Infinity;

  constructor(
    private readonly metrics: Metrics,
    private readonly db: DataSource,
    @Inject(GAUGE_READINGS) readings: readonly KeyedReading[],
  ) {
    this.sources = readings.map(([key, read]) => {
      const { name, gauge } = metrics.databaseGauge(key);
      return { name, gauge, read, shown: [], isFailing: false };
    });
  }

  /** Reads the gauges again unless they were read lately, and waits for it, but not for long. Never rejects. */
  async refresh(): Promise<void> {
    if (performance.now() - this.readAtMs >= KEPT_MS) this.underWay ??= this.read();
    if (!this.underWay) return;
    const waiting = new AbortController();
    const patience = setTimeout(PATIENCE_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.underWay, patience]);
    waiting.abort();
  }

  /** Reads the gauges now. Never rejects. */
  async read(): Promise<void> {
    let isReachable = true;
    for (const source of this.sources) {
      const values = isReachable ? await this.valuesOf(source) : [];
      if (values === 'unreachable') isReachable = false;
      show(source, values === 'unreachable' ? [] : values);
    }
    this.readAtMs = performance.now();
    this.underWay = null;
  }

  private async valuesOf(source: Source): Promise<GaugeValue[] | 'unreachable'> {
    try {
      const values = await withinMoment(this.db.manager, LIMIT_MS, source.read);
      if (values === null) throw new Error(`it took longer than ${LIMIT_MS} ms`);
      source.isFailing = false;
      return values;
    } catch (error) {
      this.metrics.counters.gaugeFailures.inc({ gauge: source.name });
      if (!source.isFailing) this.log.warn(`The gauge ${source.name} could not be read: ${String(error)}`);
      source.isFailing = true;
      return isConnectionFailure(error) ? 'unreachable' : [];
    }
  }
}

function show(source: Source, values: GaugeValue[]): void {
  for (const { labels } of source.shown) source.gauge.remove(labels);
  for (const { labels, value } of values) source.gauge.set(labels, value);
  source.shown = values;
}
