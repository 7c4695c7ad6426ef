importScripts('/attack.js')
realm(self, 'wservice-', hosts('name'))
realm(self, 'wservice-', hosts('ip'))
self.addEventListener('install', () => self.skipWaiting())
