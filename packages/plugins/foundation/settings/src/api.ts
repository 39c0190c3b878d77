/** The contract of settings is the kernel's; this plugin only adds its error catalogue. */
export {
  type LayerContent,
  type Settings,
  settingsChanged,
  settingsEngine,
  type SettingsLayer,
  settingsLayers,
} from '@tenon/kernel';
export { errors } from './errors.ts';
