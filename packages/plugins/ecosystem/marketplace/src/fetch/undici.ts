/** The parts of undici that are used, in a module of their own, so that the library is loaded when it is needed. */
export { EnvHttpProxyAgent, fetch } from 'undici';
