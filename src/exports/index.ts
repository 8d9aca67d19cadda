export { eraseExports } from './erase-exports.queries.js';
export { EXPORT_EXAMPLES } from './example-ids.js';
export { Export, ExportChunk } from './export.entity.js';
export { ExportsModule } from './exports.module.js';
