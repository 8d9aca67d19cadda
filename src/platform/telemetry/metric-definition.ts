export interface MetricDefinition<Label extends string> {
  /** The prefix tells metrics of the server from those of others in the same Prometheus. */
  name: `tracesheet_${string}`;
  help: string;
  labelNames: readonly Label[];
  /** When whoever watches the server should worry, as a sentence of `docs/reference/metrics.md`. */
  worry: string;
}
