export interface MetricDefinition<Label extends string> {
  /** The prefix separates metrics of the server from others in the same Prometheus. */
  name: `tracesheet_${string}`;
  help: string;
  labelNames: readonly Label[];
  /** When the operator should worry, as a sentence of `docs/reference/metrics.md`. */
  worry: string;
}
