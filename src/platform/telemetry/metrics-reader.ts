import { Injectable } from '@nestjs/common';
import { DatabaseGauges } from './database-gauges.js';
import { readFormerNames } from './former-names.js';
import { Metrics } from './metrics.js';
import { ProcessGauges } from './process-gauges.js';

/** Builds the answer of `/metrics`. */
@Injectable()
export class MetricsReader {
  constructor(
    private readonly metrics: Metrics,
    private readonly ofProcess: ProcessGauges,
    private readonly ofDatabase: DatabaseGauges,
  ) {}

  async read(): Promise<string> {
    const { registry } = this.metrics;
    await this.ofProcess.refresh();
    await this.ofDatabase.refresh();
    return (await registry.metrics()) + (await readFormerNames(registry));
  }
}
