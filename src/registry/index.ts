export { LabelledEntries } from './label-changes/labelled-entries.js';
export { type LabelOnVersion, Labels, type PlacedLabel, type VersionChoice } from './labels.js';
export { LabelledKind, type LabelledKindPlugin, type LabelPosition } from './label-changes/labelled-kind.js';
export { type LabelRules, readLabelRules, writeLabelRules } from './label-rules.js';
export { eraseReasons } from './label-changes/erase-reasons.queries.js';
export { outdateChanges } from './label-changes/outdate-changes.js';
export {
  type ClearedLabels,
  demandLabels,
  demandProtected,
  LABEL_REFUSALS,
  needsApproval,
  NO_LABELS,
} from './protected-labels.js';
export { Registry, type WithExternalIds } from './registry.js';
export { RegistryEntry, RegistryLabel, RegistryVersion } from './registry.entities.js';
