/** Names of logs of the game. Debug logs are excluded, because debug logs repeat the catches of other logs. */
export const LOG_NAME = /^(?!\.|debug|launcher).*\.(?:log|txt)(?:\.\d{1,3}|\.old|\.bak)?(?:\.gz)?$/i
