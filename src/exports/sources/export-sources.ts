import type { ExportSourceName } from '../export.entity.js';
import type { ExportSource } from './export-source.js';
import { REQUESTS } from './requests.source.js';
import { SPANS } from './spans.source.js';
import { TRACES } from './traces.source.js';

export const SOURCES: Record<ExportSourceName, ExportSource> = { requests: REQUESTS, traces: TRACES, spans: SPANS };
