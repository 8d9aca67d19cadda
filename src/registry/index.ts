export { type LabelOnVersion, Labels, type PlacedLabel, type VersionChoice } from './labels.js';
export { Registry, type WithExternalIds } from './registry.js';
export { RegistryEntry, RegistryLabel, RegistryVersion } from './registry.entities.js';
