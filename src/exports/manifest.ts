import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { EXPORT_ROWS } from './export-work.js';
import { Export, ExportChunk } from './export.entity.js';
import { ExportsModule } from './exports.module.js';

const MIB = 1024 * 1024;

const settings = {
  exportRetentionDays: integer('EXPORT_RETENTION_DAYS', {
    fallback: '7',
    min: 1,
    max: 3650,
    description: 'Days for which the file of an export can be downloaded.',
  }),
  exportMaxBytes: integer('EXPORT_MAX_BYTES', {
    fallback: String(5 * 1024 * MIB),
    min: 1024,
    max: 1024 * 1024 * MIB,
    description: 'Largest file of an export, in bytes. Files are kept in the database.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('exports', {
  holds: 'Files of request logs, traces and spans as CSV, JSON lines or Parquet',
  uses: ['live', 'llm', 'requests', 'trace-conventions', 'traces'],
  module: (process) => ExportsModule.for(process),
  entities: [Export, ExportChunk],
  tags: [{ name: 'Exports', description: 'Files of request logs, traces and spans.', order: 40 }],
  settings,
  readings: { oldestWork: [oldestRow(EXPORT_ROWS)] },
});
