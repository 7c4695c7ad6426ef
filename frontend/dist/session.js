// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:ae,construct:Et,defineProperty:Se,getOwnPropertyDescriptor:qt}=Reflect,{AbortController:pn,ArrayBuffer:ct,Blob:Br,
DOMException:Hr,DataView:fe,Error:te,EventSource:Dr,JSON:Ne,Map:q,Number:re,Object:O,Promise:xe,Proxy:vr,RangeError:$,Set:de,
String:Vr,TextDecoder:hn,TextEncoder:wn,TypeError:L,URL:lt,Uint32Array:Te,Uint8Array:B,WeakMap:gn,XMLHttpRequest:mn,clearTimeout:yn,
encodeURIComponent:kt}=globalThis,{abs:bn,floor:Be,fround:_n,max:G,min:ee,random:zr}=Math,Gt=Date.now,Sn=globalThis.performance?
globalThis.performance.now.bind(globalThis.performance):Gt;function xn(e){return Do.getRandomValues(new B(e))}var Fr=Wt(
globalThis.fetch),Xt=Wt(globalThis.setTimeout),qr=Wt(globalThis.setInterval),Le=globalThis.console,Ot={error:Le.error.bind(
Le),warn:Le.warn.bind(Le),info:Le.info.bind(Le)},{crypto:Do}=globalThis,{addEventListener:vo,removeEventListener:Vo}=globalThis.
EventTarget.prototype;function Wt(e){return e&&e.bind(globalThis)}function He(e,t,n,o){ae(vo,e,[t,n,o])}function De(e,t,n){
ae(Vo,e,[t,n])}function pe(e,t){let n=e&&qt(e,t)?.get;return n?o=>ae(n,o,[]):o=>o[t]}function Tn(e){let t=e.prototype,{send:n,close:o}=t,r=qt(t,"binaryType")?.set,{MessageEvent:p,CloseEvent:d}=globalThis;return{
open(a,i){let s=Et(e,i===void 0?[a]:[a,i]);return r&&ae(r,s,["arraybuffer"]),s},send:(a,i)=>ae(n,a,[i]),close:(a,...i)=>ae(
o,a,i),readyState:pe(t,"readyState"),bufferedAmount:pe(t,"bufferedAmount"),protocol:pe(t,"protocol"),listen:He,unlisten:De,
data:pe(p?.prototype,"data"),code:pe(d?.prototype,"code"),reason:pe(d?.prototype,"reason"),wasClean:pe(d?.prototype,"was\
Clean")}}function An(e,t=Ot){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var Jt=1<<20,Yt=re.MAX_SAFE_INTEGER,zo=pe(ct.prototype,"byteLength"),Fo=new wn,qo=new hn("utf-8",{fatal:!0,ignoreBOM:!0});
function J(e){return Fo.encode(e)}function Ae(e){return qo.decode(e)}function se(e){if(e instanceof he)return e._bytes.subarray(
0,e._length);if(ct.isView(e))return new B(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new B(0);try{zo(e)}catch{
throw new L("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new B(e)}var he=class{constructor(){
this._bytes=new B(64),this._view=new fe(this._bytes.buffer),this._length=0,this._at=0,this._limit=Jt}static from(t){let n=se(
t);if(n.length>Jt)throw new $(`DataStream: ${n.length} bytes, at most ${Jt} fit`);return ut(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new $(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new $(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new B(G(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new fe(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new $("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Yt)||t%1!==0)throw new $(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(J(t))}writeBytes(t){
let n=se(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=se(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new $("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Yt||o===0&&n>1)break;return t}}throw new $("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return Ae(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function ut(e){let t=new he;return t._bytes=
e,t._view=new fe(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function ve(){let e=new he;return e._limit=Yt,
e}var kn=65536,On=16,Rn=4096,En=re.MAX_SAFE_INTEGER,{hasOwnProperty:Go}=O.prototype,Ve=new fe(new B(8).buffer);function Kt(e,{
size:t=kn,nesting:n=On,elements:o=Rn}={}){let r=new fe(e.buffer,e.byteOffset,e.byteLength),p=0;function d(g){let m=p;if(m+
g>e.length||m+g>t)throw new $("value is cut short or too long");return p+=g,m}function a(g){if(g<24)return g;if(g===24)return r.
getUint8(d(1));if(g===25)return r.getUint16(d(2));if(g===26)return r.getUint32(d(4));if(g!==27)throw new $("value of unk\
nown length");let m=d(8),b=r.getUint32(m)*2**32+r.getUint32(m+4);if(b>En)throw new $("number too large");return b}function i(g){
let m=a(g);if(m>o)throw new $(`${m} elements, at most ${o}`);return m}function s(g){let m=a(g),b=d(m);return e.subarray(
b,b+m)}function c(g){if(g===20||g===21)return g===21;if(g===22)return null;if(g===25)return Wo(r.getUint16(d(2)));if(g===
26)return r.getFloat32(d(4));if(g===27)return r.getFloat64(d(8));throw new $("not a value of state")}function f(g){let m=r.
getUint8(d(1)),b=m&31,I=m>>5;if(g===0&&(I===4||I===5))throw new $("nested too deep");switch(I){case 0:return a(b);case 1:{
let C=a(b);if(C===En)throw new $("number too large");return-1-C}case 2:return s(b).slice();case 3:return Ae(s(b));case 4:{
let C=[];for(let T=i(b);T>0;T--)C.push(f(g-1));return O.freeze(C)}case 5:{let C={};for(let T=i(b);T>0;T--){let N=r.getUint8(
d(1));if(N>>5!==3)throw new $("a key that is no text");let D=Ae(s(N&31));if(ae(Go,C,[D]))throw new $("the same key twice");
Se(C,D,{value:f(g-1),enumerable:!0})}return O.freeze(C)}case 7:return c(b);default:throw new $("not a value of state")}}
return{value:f(n),length:p}}function ft(e,t){let{value:n,length:o}=Kt(e,t);if(o!==e.length)throw new $("bytes after the \
value");return n}function dt(e,{size:t=kn,nesting:n=On,elements:o=Rn}={}){let r=ve();function p(s,c){let f=s<<5;if(c<24)
return r.writeU8(f|c);let w=c<2**8?0:c<2**16?1:c<2**32?2:3;r.writeU8(f|24+w),Ve.setUint32(0,c/2**32),Ve.setUint32(4,c),r.
writeRaw(new B(Ve.buffer,8-(1<<w)))}function d(s,c){p(s,c.length),r.writeRaw(c)}function a(s){if(re.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?p(1,-1-s):p(0,s);let c=_n(s)===s||s!==s;r.writeU8(c?250:251),c?Ve.setFloat32(0,s):Ve.setFloat64(0,s),
r.writeRaw(new B(Ve.buffer,0,c?4:8))}function i(s,c){if(r.length>t)throw new $(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return a(s);if(typeof s=="str\
ing")return d(3,J(s));if(s instanceof B)return d(2,s);let f=Array.isArray(s);if(!f&&!Xo(s))throw new L("state holds null\
, booleans, numbers, texts, Uint8Array, lists and plain objects of these");if(c===0)throw new $(`a value of state nests \
at most ${n} deep`);let w=f?s:O.keys(s);if(w.length>o)throw new $(`a list or object in state has at most ${o} elements`);
p(f?4:5,w.length);for(let g of w)f||d(3,J(g)),i(f?g:s[g],c-1)}if(i(e,n),r.length>t)throw new $(`a value of state has at \
most ${t} bytes`);return r.toUint8Array()}function Xo(e){if(typeof e!="object")return!1;let t=O.getPrototypeOf(e);return t===
null||O.getPrototypeOf(t)===null}function Wo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var tn="conch.session.1",Ln="/_conch/session",Nn=524288,Jo=16<<20,$n=4096,In=1,It=0,Re=1,z=2,wt=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},Rt={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},Cn={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},ht={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},pt=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),Oe=e=>({read:t=>t.readRaw(Ct(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),Fe=(e,t=0)=>({read(n){let o=Ct(n.readVarU(),e);if(o<t)throw new $("a name that is empty");return Ae(n.readRaw(o))},
write:(n,o)=>n.writeBytes(J(o))}),$t=(e,t)=>({read(n){let o=[];for(let r=Ct(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),v=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new $("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),Qt={read(e){
let t=e.readVarU();if(t%4>z||t%4===It&&t>0)throw new $("a target of no kind");return t},write:R.write},Yo={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new B(0),value:void 0};let o=e.position,{value:r,length:p}=Kt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(p).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},en=$t(1024,Yo),Un=v({class:Fe(128),owner:R,persistent:ht}),Bn={read(e){let t=Qt.
read(e),{class:n,owner:o,persistent:r}=t%4===z?Un.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:en.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===z&&Un.write(e,t),en.write(e,t.fields)}},Mn=Fe(
128,1),jn=Oe(262144),ze=Fe(128),Zt=Fe(512),Pn=Fe(32),Ko=v({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),x={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},Hn={[x.hello]:v({minVersion:R,maxVersion:R,nonce:pt(
16),project:pt(32)}),[x.challenge]:v({version:R,nonce:pt(16),project:pt(32),need:Rt,salt:Oe(32),iterations:R}),[x.auth]:v(
{build:ze,session:ze,name:ze,kind:Rt,spectator:ht,userData:Oe(4096),proof:Oe(32),resume:Oe(16),loaded:R}),[x.welcome]:v(
{id:R,session:ze,token:pt(16),role:Rt,resumed:ht,proof:Oe(32),hostMicros:R,tickHz:R,limits:Ko}),[x.reject]:v({code:Pn,text:Zt,
retryAfterMillis:R}),[x.ping]:v({seq:R,t0:R}),[x.pong]:v({seq:R,t0:R,t1:R,t2:R}),[x.bye]:v({code:Pn,text:Zt}),[x.load]:v(
{transition:R,uuid:ze,name:ze,seamless:ht}),[x.loaded]:v({transition:R,ok:ht,text:Zt}),[x.activate]:v({transition:R}),[x.
names]:v({base:R,names:$t($n,Fe(128))},e=>e.base+e.names.length<=$n),[x.snapBegin]:v({seq:R,size:R},e=>e.size<=Jo),[x.snapPart]:{
read:e=>({data:e.readRaw(Ct(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[x.snapEnd]:v({crc:Cn}),
[x.delta]:v({prev:R,seq:R,changes:$t(65536,v({target:Qt,fields:en}))}),[x.spawn]:v({entity:Bn},e=>e.entity.target%4===z),
[x.despawn]:v({target:Qt},e=>e.target!==It),[x.owner]:v({object:R,owner:R}),[x.resync]:v({seq:R}),[x.check]:v({seq:R,crc:Cn}),
[x.rpc]:v({call:R,object:R,name:Mn,args:jn}),[x.result]:v({call:R,status:Rt,value:Oe(65536)}),[x.relayed]:v({from:R,object:R,
name:Mn,args:jn})};function Ct(e,t){if(e>t)throw new $(`longer than ${t}`);return e}function qe(e,t){let n=ve();Hn[e].write(
n,t);let o=ve();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function Dn(e){let t=ut(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~In)throw new $(`frame ${o} has unknown flags`);let p=t.readRaw(t.readVarU()),d=Hn[o];if(d)n.
push({type:o,weight:p.length,...d.read(ut(p))});else if(!(r&In))throw new $(`unknown frame ${o}`)}while(t.position<t.length);
return n}var vn=$t(65536,Bn);function Vn(e){return vn.read(ut(e))}function zn(e){let t=ve();return vn.write(t,e),t._bytes.
subarray(0,t._length)}function Fn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),p=0,d={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},a=({host:i,port:s,secure:c})=>`${c?"wss":"ws"}://${i}:${s}${Ln}`;
return{connect(i,{projectId:s}){let c=a(i);if(!o)return nn(t,c,tn);let f=`u=${kt(c)}&project=${kt(s)}&n=${++p}`;return nn(
t,`${r}/__conch/session/join?${f}`,tn)},now:Sn,wall:Gt,random:xn,setTimeout:(i,s)=>Xt(i,s),clearTimeout:i=>yn(i),storage:Qo(
e),places:new de,log:d,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,c=()=>{s.visibilityState==="visible"&&i()};
return s&&He(s,"visibilitychange",c),He(e,"pageshow",i),He(e,"online",i),()=>{s&&De(s,"visibilitychange",c),De(e,"pagesh\
ow",i),De(e,"online",i)}},host:o?{start:i=>Zo(`${o}/__conch/session/host`,i),link:i=>nn(t,`${r}/__conch/session/link?hos\
t=${kt(i)}`,void 0)}:null}}function nn(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){
return e.bufferedAmount(o)},send(a){e.readyState(o)===1&&e.send(o,a)},close(a,i){e.readyState(o)<2&&e.close(o,a,i)}};e.listen(
o,"open",()=>{if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(
o,"message",a=>{r.onmessage&&r.onmessage(e.data(a))});let p=!1;function d(a,i){p||(p=!0,r.onclose&&r.onclose(a,i))}return e.
listen(o,"close",a=>d(e.code(a),e.reason(a))),e.listen(o,"error",()=>Xt(()=>{e.readyState(o)===3&&d(1006,"")},100)),r}function Zo(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=Et(
mn,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(Ne.stringify(t)),O.assign(
n,Ne.parse(o.responseText))}catch{return n}}function Qo(e){try{return e.sessionStorage||null}catch{return null}}var er=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,tr=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
nr=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,or=/^\d+\.\d+\.\d+\.\d+$/;function rr(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=er.exec(t);if(!n)return null;let o=n[3]===void 0?0:Number(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=Wn(new lt(`ws://${n[2]}/`).hostname)}catch{return null}let p=n[1]!==void 0;return!r||p&&Jn(r)?null:{host:r,port:o,
wildcard:p}}function qn(e){let t=[];for(let n of e){let o=rr(n);o&&t.push(o)}return t}function Gn(e,t){let n=Ut(t),o=sr(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Jn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function Ut(e){
return Wn(e.hostname)}function sr(e){return e.port?Number(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function Xn(e){
let t=Ut(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function Wn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=nr.exec(n);if(!o)return n;let r=parseInt(o[1],16),p=parseInt(o[2],16);return`${r>>8}.${r&255}.${p>>8}.${p&255}`}let t=e.
endsWith(".")?e.slice(0,-1):e;return t.length<=253&&tr.test(t)?t:""}function Jn(e){return e.includes(":")||or.test(e)}var on=24642;function Yn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,p=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),d;try{d=new lt(`${p?"wss":"ws"}://${r}`)}catch{return null}let a=Ut(d),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(d.pathname)||[];if(!a||d.pathname!=="/"&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,"")),c=s?Number(
s[1]):n?p?443:80:on;if(c<1||c>65535)return null;let f=a.includes(":")?`[${a}]`:a;return{host:f,port:c,secure:p,text:`${f}\
:${c}`,code:i}}function Kn({host:e,port:t,secure:n},o){let r=new lt(`${n?"wss":"ws"}://${e}:${t}/`);return Xn(r)||/\.local$/.
test(e)||ir(e)||Gn(qn(o),r)}function ir(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function Ee({log:e,later:t,cancel:n}){let o="pending",r,p=[];function d(i,s){if(o!=="pending")return;o=i,r=s;let c=p;p=[];
for(let f of c)f()}let a=O.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new L("onDone: a listener is a function");let s=()=>{try{i(a)}catch(c){
e.error("onDone threw:",c)}};return o==="pending"?p.push(s):t(s),a},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>d(
"failed","cancelled")),!0)},then(i,s){let f=new xe((w,g)=>{let m=()=>o==="succeeded"?w(r):g(new te(r));o==="pending"?p.push(
m):m()}).then(i,s);return f.catch(()=>{}),f}});return{op:a,succeed:i=>d("succeeded",i),fail:i=>d("failed",i)}}var ar=65536,cr=1e4;function Mt({log:e,now:t,later:n}){let o=new q,r=new q,p=0;function d(a){let i=[...a.results.values()];
i.some(s=>s===null)||(r.delete(a.id),a.operation.succeed(a.many?O.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(a,i,s){let c=++p,f=Ee({log:e,later:n,cancel:()=>s()&&r.delete(c)}),w={id:c,operation:f,many:i,results:new q,at:t(),
sent:!1,lost:!1,takeBack:s};for(let g of a)w.results.set(g,null);return r.set(c,w),w},settle(a,i,s,c,f=t()){let w=r.get(
a);if(!w||w.results.get(i)!==null)return;let g={callId:a,connectionId:i,rttMs:f-w.at,status:s};w.results.set(i,O.freeze(
c&&c.length?{...g,value:he.from(c)}:g)),d(w)},fail(a,i){let s=r.get(a);r.delete(a),s&&s.operation.fail(i)},failAll(a){for(let i of[
...r.keys()])this.fail(i,a)},linkLost(){for(let a of r.values())a.sent&&(a.lost=!0)},endLost(){for(let a of[...r.values()])
if(a.lost)for(let i of a.results.keys())this.settle(a.id,i,"unknown")},expire(){for(let a of[...r.values()])if(!(t()-a.at<
cr)){a.takeBack()&&this.fail(a.id,"timeout");for(let i of a.results.keys())this.settle(a.id,i,"timeout")}},handle(a,i,s){
let c=Ge(a);if(typeof i!="function")throw new L("onRpc: a handler is a function");let f={run:i,anyone:s};return o.set(c,
f),()=>o.get(c)===f&&o.delete(c)},run(a,i,s,c,f){let w=o.get(a);if(!w)return f("no_handler");let g=b=>{e.error(`the hand\
ler of the call ${a} threw:`,b),f("handler_threw")},m=b=>{let I=se(b);I.length>ar?f("too_large"):f("ok",I.slice())};try{
let b=ae(w.run,void 0,[he.from(i),s,c]);b&&typeof b.then=="function"?b.then(m).then(void 0,g):m(b)}catch(b){g(b)}}}}function Ge(e){
let t=typeof e=="string"?J(e).length:0;if(t===0||t>128)throw new L("the name of a call is a text of 1 to 128 bytes");return e}var Zn=fr(64),lr=new Te(Zn.map(e=>eo(e**(1/3)))),Qn=new Te(Zn.slice(0,8).map(e=>eo(e**(1/2)))),ur=dr();function fr(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function eo(e){return(e-Be(e))*2**32}function rn(e,t){
for(let c=16;c<64;c++){let f=t[c-15],w=t[c-2];t[c]=t[c-16]+t[c-7]+((f>>>7|f<<25)^(f>>>18|f<<14)^f>>>3)+((w>>>17|w<<15)^(w>>>
19|w<<13)^w>>>10)}let[n,o,r,p,d,a,i,s]=e;for(let c=0;c<64;c++){let f=s+((d>>>6|d<<26)^(d>>>11|d<<21)^(d>>>25|d<<7))+(d&a^
~d&i)+lr[c]+t[c]|0,w=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=a,a=d,d=p+f|0,p=r,r=o,o=n,n=f+w|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=p,e[4]+=d,e[5]+=a,e[6]+=i,e[7]+=s}function jt(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new B(o+9+63&-64),p=0;for(let s of t)r.set(s,p),p+=s.length;r[p]=128;let d=new fe(r.buffer);d.setUint32(r.length-8,
(n+o)/2**29),d.setUint32(r.length-4,(n+o)*8);let a=e.slice(),i=new Te(64);for(let s=0;s<r.length;s+=64){for(let c=0;c<16;c++)
i[c]=d.getUint32(s+c*4);rn(a,i)}return a}function Pt(e){let t=new B(32),n=new fe(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var to=e=>e.map(t=>typeof t=="string"?J(t):t);function Xe(...e){return Pt(jt(Qn,to(e),0))}function no(e){let t=e.
length>64?Xe(e):e;return[54,92].map(n=>{let o=new Te(64);for(let p=0;p<64;p++)o[p>>2]|=((t[p]||0)^n)<<24-p%4*8;let r=Qn.
slice();return rn(r,o),r})}function sn(e,...t){let[n,o]=no(e);return Pt(jt(o,[Pt(jt(n,to(t),64))],64))}function oo(e,t,n,o){
let[r,p]=no(J(e)),d=new Te(64),a=new Te(8),i=f=>{d.set(a),d.fill(0,8,16),d[8]=2147483648,d[15]=768,a.set(f),rn(a,d)};a.set(
jt(r,[t,new B([0,0,0,1])],64)),i(p);let s=a.slice(),c=n-1;return new xe(f=>{let w=()=>{for(let g=1e4;g>0&&c>0;g--,c--){i(
r),i(p);for(let m=0;m<8;m++)s[m]^=a[m]}c>0?o(w):f(Pt(s))};w()})}function dr(){let e=new Te(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function Lt(e){let t=-1;for(let n=0;n<e.length;n++)t=ur[(t^
e[n])&255]^t>>>8;return~t>>>0}function We(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}var an=1,pr=1e6;function ro(e,{address:t,projectId:n,resuming:o,secret:r,auth:p,onWelcome:d,onFrame:a,onEnd:i}){let s=e.
random(16),c="dial",f=null,w=e.connect(t,{projectId:n});w.onopen=()=>{c==="dial"&&(c="hello",N(x.hello,{minVersion:an,maxVersion:an,
nonce:s,project:Xe("conch.session.1 client",s,n)}))},w.onmessage=A=>{if(c!=="ended")try{if(typeof A=="string")throw new $(
"a text message");if(A.byteLength>Nn)throw new $("message too long");for(let P of Dn(new B(A)))g(P)}catch(P){e.log.debug(
`the host broke the protocol: ${P}`),C(c==="live"?"protocol_error":"not_a_host")}},w.onclose=(A,P)=>T({code:A,reason:P,text:""});
function g(A){if(c!=="ended")if(c==="live")A.type===x.bye?T({code:0,bye:A.code,text:A.text}):a(A);else if(A.type===x.reject)
T({code:4003,reject:A.code,text:A.text,retryAfter:A.retryAfterMillis});else if(A.type===x.challenge&&c==="hello")m(A);else if(A.
type===x.welcome&&c==="auth")I(A);else throw new $(`frame ${A.type} while joining`)}function m({version:A,nonce:P,project:V,
need:Y,salt:K,iterations:Z}){if(!We(V,Xe("conch.session.1 host",s,P,n)))return C("not_a_host");if(A!==an)return C("proto\
col_version");if(Y>2||Z>pr)return C("not_a_host");if(c="auth",Y===0||o)return b(new B(0));let oe=r(Y);if(oe===null)return C(
Y===1?"bad_password":"bad_code");oo(oe,K,Z,X=>e.setTimeout(X,0)).then(X=>{c==="auth"&&(f=sn(X,"conch.session.1 welcome",
s,P,n),b(sn(X,"conch.session.1 join",s,P,n)))})}function b(A){N(x.auth,{...p(),proof:A})}function I(A){if(f&&!We(A.proof,
f)||A.resumed!==o)return C("not_a_host");c="live",d(A)}function C(A){c==="live"&&N(x.bye,{code:"protocol_error",text:""}),
T({code:0,fault:A,text:""},4002,A)}function T(A,P=4e3,V="left"){if(c==="ended")return;let Y=c;c="ended",w.close(P,V),i({
stage:Y,...A})}function N(A,P){D(qe(A,P))}function D(A){c!=="ended"&&w.send(A)}return{send:N,write:D,get live(){return c===
"live"},get opened(){return c!=="dial"},close(A,P){c==="live"&&N(x.bye,{code:P,text:""}),c!=="ended"&&w.close(A,P),c="en\
ded"}}}function Nt({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:p,change:d}){let a=so(o),i=so(r);function s(){
if(!d)throw new te("only the session host spawns, despawns and gives objects away");return d}return O.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return a},get objects(){return i},spawn:(c,f,w)=>s().spawn(
c,f,w),despawn:c=>s().despawn(c),setOwner:(c,f)=>s().setOwner(c,f),onRpc:(c,f,w)=>p(c,f,!!(w&&w.anyone)),sceneLoader:void 0})}
var hr=["get","has","keys","values","entries"];function so(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of hr)t[n]=o=>e[n](o);return O.freeze(t)}var wr=16,io=4,ao=2,co=250,lo=2e3,uo=.05;function fo(){let e=[],t=!1,n=0,o=0,r=0,p=uo,d=0;function a(s){let c=G(0,(s-o)*
p);return n+ee(G(r-n,-c),c)}function i(s,c){n=t?a(c):s,t=!0,o=c,p=uo,r=s;let f=s-n;return bn(f)<ao?r=n:f>co||f<-lo?n=s:f<
-co&&(p=.5),f>=-lo?!1:(d=0,!0)}return{get synced(){return t},start(s,c){t||(r=n=s-c,o=c,t=!0)},sample(s,c,f,w){let g=w-s-
(f-c);if(s>w||c>f||g<0||e.length>=io&&g>3*cn(e.map(b=>b.rtt))+ao)return!1;e.push({offset:(c-s+(f-w))/2,rtt:g}),e.length>
wr&&e.shift();let m=[...e].sort((b,I)=>b.rtt-I.rtt).slice(0,io);return i(cn(m.map(b=>b.offset)),w)},reset(){e=[]},get rtt(){
return e.length?cn(e.map(s=>s.rtt)):0},now(s){return d=G(d,s+a(s)),d}}}function cn(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var gr=8,po=50,mr=5e3,ho=3e3;function Bt(e,{ping:t,silent:n}){let o=fo(),r=new q,p=0,d=0,a=0,i=0,s=2e3,c=1e4,f=!1,w=0,g=0;
function m(){let T=Be(e.now()*1e3);r.size>64&&r.clear(),r.set(++p,T),t(p,T)}function b(){e.clearTimeout(g);let T=gr,N=()=>{
f&&m(),--T>0&&(g=e.setTimeout(N,po))};N()}function I(){d=ee(d,e.now()-c+ho),r.clear(),o.reset(),b(),C(ho+po)}function C(T){
e.clearTimeout(w),a=e.now(),i=e.wall();let N=T;w=e.setTimeout(()=>{if(G(e.now()-a,e.wall()-i)>N+mr)return I();if(e.now()-
d>c)return n();m(),C(s)},T)}return{clock:o,start({pingMillis:T,timeoutMillis:N},D){s=G(250,ee(T,6e4)),c=G(2e3,ee(N,6e5)),
f=!0,d=e.now(),o.start(D/1e3,d),r.clear(),o.reset(),b(),C(s)},stop(){f=!1,e.clearTimeout(w),e.clearTimeout(g)},hear(){d=
e.now()},pong({seq:T,t0:N,t1:D,t2:A}){let P=r.get(T);P===void 0||P!==N||(r.delete(T),o.sample(P/1e3,D/1e3,A/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){f&&I()}}}var yr=.95,wo=.9;function go(e,t){let n=[],o=null,r=0,p=0;function d(){let i=e.now();for(let s of o||[])s.have=ee(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function a(){if(e.clearTimeout(p),!!o)for(d();n.length>0;){let{frame:i,isCall:s,sent:c}=n[0],
f=[1,i.length,s?1:0],w=0;if(o.forEach((g,m)=>{w=G(w,(ee(f[m],g.burst)-g.have)/g.rate)}),w>0){p=e.setTimeout(a,ee(w,1)*1e3+
1);return}o.forEach((g,m)=>{g.have-=f[m]}),n.shift(),t(i),c&&c()}}return{send(i){n.push(i),a()},cancel(i){let s=n.length;
return n=n.filter(c=>c!==i),n.length<s},start(i){let s=(c,f)=>({rate:G(c*yr,.001),burst:G(f*wo,1),have:G(f*wo,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),a()},pause(){e.clearTimeout(p),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}var ne=It,$e=e=>e*4+Re,Je=e=>e*4+z,ce=e=>(e-e%4)/4;function Ye(e,t,n,o,r){let p="",d={target:t,typeName:n,owner:o,persistent:r,
fields:new q,view:{}},a={get uuid(){return p||(p=Sr(e.sessionId,t))},get typeName(){return d.typeName},get:i=>br(d,`${i}`),
set:(i,s)=>_r(e,d,`${i}`,s),names:()=>[...d.fields.keys()]};return t%4===z&&O.defineProperties(a,{netObjectId:{value:ce(
t),enumerable:!0},owner:{get:()=>d.owner,enumerable:!0},persistent:{get:()=>d.persistent,enumerable:!0},isMine:{get:()=>d.
owner===e.localConnectionId,enumerable:!0}}),d.view=O.freeze(a),d}function yo(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(
".",n-1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):
[]}}return null}var bo=e=>typeof e=="object"&&e!==null&&!ct.isView(e);function br(e,t){let n=yo(e,t);if(!n)return;let{value:o}=n;
for(let r of n.rest){if(!bo(o)||!O.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function _r(e,t,n,o){if(!e.
writable)throw new te("only the session host changes state, while the session is active");let r=yo(t,n);if(!r||r.rest.length===
0)return mo(e,t,n,o);mo(e,t,r.name,_o(r.value,r.rest,o))}function _o(e,[t,...n],o){if(!bo(e))throw new L(`state: nothing\
 can be set at ${t}, its parent holds no list or object`);let r=Array.isArray(e);if(r&&!(re(t)<=e.length))throw new L(`s\
tate: ${t} is no position of the list`);let p=r?[...e]:{...e},d=O.prototype.hasOwnProperty.call(p,t);return n.length>0&&
(o=_o(d?p[t]:{},n,o)),o!==void 0?O.defineProperty(p,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?p.splice(re(
t),1):delete p[t],p}function mo(e,t,n,o){let r=J(n).length;if(r===0||r>128)throw new L("state: a name has 1 to 128 bytes");
if(o===void 0){t.fields.delete(n)&&e.changed(t,n,null);return}let p=dt(o),d=ft(p);t.fields.set(n,{key:0,raw:p,value:d}),
e.changed(t,n,p)}function Sr(e,t){return ln(Xe(`${e}
${t}`),128)}function ln(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,un(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function un(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function xo(e,t){let n=new q,o=new q,r=new q,p=new de,d=-1;function a(f,w,g,m){let b=Ye(e,f,w,g,m);return n.set(f,b),f%4===
z&&o.set(ce(f),b.view),f%4===Re&&r.set(ce(f),b.view),b}function i(f){n.delete(f)&&(p.delete(f),f%4===Re&&r.delete(ce(f)),
f%4===z&&o.delete(ce(f))&&t.removed(ce(f)))}function s(f,w){for(let{name:g,key:m,removed:b,raw:I,value:C}of w){let T=f.fields.
get(g);(b?T:!T||!We(T.raw,I))&&p.add(f.target),b?f.fields.delete(g):f.fields.set(g,{key:m,raw:I,value:C})}}function c(f){
let{target:w,class:g,owner:m,persistent:b,fields:I}=f,C=n.get(w);C&&C.typeName!==So(w,g)&&(i(w),C=void 0);let T=!C;C||(C=
a(w,So(w,g),m,b));let N=C.fields;C.fields=new q;for(let{name:D,key:A,raw:P,value:V}of I)C.fields.set(D,{key:A,raw:P,value:V});
(T||C.owner!==m||!xr(N,C.fields))&&p.add(w),C.owner=m,C.persistent=b,!(!T||w%4!==z)&&(p.delete(w),t.appeared(ce(w)))}return a(
ne,"GameState",0,!1),{objects:o,players:r,get seq(){return d},get gameState(){return n.get(ne)?.view},playerState:f=>n.get(
$e(f))?.view,snapshot(f,w){let g=new de([ne]);c({target:ne,class:"",owner:0,persistent:!1,fields:[],...w.find(m=>m.target===
ne)});for(let{target:m}of w)g.add(m);for(let m of[...n.keys()])g.has(m)||i(m);for(let m of w)m.target!==ne&&c(m);d=f},delta({
prev:f,seq:w,changes:g}){if(f!==d)return!1;for(let{target:m,fields:b}of g){let I=n.get(m)||(m%4===Re?a(m,"PlayerState",0,
!1):void 0);I&&s(I,b)}return d=w,!0},spawn(f){i(f.target),c(f)},despawn:i,setOwner(f,w){let g=n.get(f);!g||g.owner===w||
(g.owner=w,p.add(f))},dropObjects(f){for(let w of[...n.values()])w.target%4===z&&!(f&&w.persistent)&&i(w.target)},checksum(){
let f=[...n.values()].sort((w,g)=>w.target-g.target).map(w=>({target:w.target,class:w.typeName,owner:w.owner,persistent:w.
persistent,fields:[...w.fields.values()].sort((g,m)=>g.key-m.key).map(({key:g,raw:m})=>({name:g,removed:!1,raw:m,value:null}))}));
return Lt(zn(f))},takeChanged(){let f=[...p];return p.clear(),f}}}function So(e,t){return e%4===z?t:e%4===Re?"PlayerStat\
e":"GameState"}function xr(e,t){if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||!We(o,r.raw))return!1}
return!0}var Tr=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function Ie(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function Ce(e,t){let n=J(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return Ae(n.subarray(0,o))}function Dt(e){return[...Ie(`${e}`)].slice(0,32).join("")}function Ht(e,t){
let n=Ie(t);return n?`${e}: ${n}`:e}function Ao({stage:e,code:t,bye:n,reject:o,fault:r,text:p}){return o==="build_mismat\
ch"?Ht(o,p):o?Tr.includes(o)?o:Ht("refused",p):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?Ht("refused",
p):e==="hello"?"not_a_host":"unreachable")}var To={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function fn(e,t){let n=O.prototype.hasOwnProperty.call(To,e)?To[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?Ht(n,t):n}function vt(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}function Eo(e,{projectId:t,sessionId:n},o){let r=1,p=()=>`conch.session ${t} ${o.text} ${r}`;for(;e.places.has(p());)r++;
let d=p();e.places.add(d);let a=null;try{let i=Ne.parse(e.storage?.getItem(d)||"");(!n||n===i.session)&&/^[0-9a-f]{32}$/.
test(i.token)&&(a=new B(16).map((c,f)=>parseInt(i.token.slice(f*2,f*2+2),16)))}catch{}return{get token(){return a},keep(i,s){
a=i;try{e.storage?.setItem(d,Ne.stringify({token:un(i),session:s}))}catch{}},forget(){a=null;try{e.storage?.removeItem(d)}catch{}},
leave(){e.places.delete(d)}}}function Ar(e){return ln(e.random(16),64)}function Ue(e,{uuid:t,name:n,tid:o},r){let p=r&&typeof r.instanceId=="string"?
r.instanceId:Ar(e);return O.freeze({...r,instanceId:p,scene:O.freeze({uuid:t,name:n}),transitionId:o})}function ko(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new L("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var Er=5e3,Oo=[0,250,500,1e3,2e3],kr=[1001,1005,1006,4005,4010],Or=["launcher","browser"];function Ro(e,{mail:t,emit:n,finished:o},r,p){
let{projectId:d}=r,a=Eo(e,r,p),i=0,s="",c="player",f={},w=!1,g=!1,m=!1,b=!1,I=null,C=0,T=!1,N=0,D=0,A=0,P=[],V=null,Y=!1,
K=!0,Z=Bt(e,{ping:(u,y)=>I?.send(x.ping,{seq:u,t0:y}),silent:()=>{T=!0,I?.close(4005,"timeout"),Pe()}}),oe=go(e,u=>I?.write(
u)),X=Mt({log:e.log,now:e.now,later:u=>t.post(u,"always")}),we={get sessionId(){return s},get localConnectionId(){return i},
writable:!1,changed(){}},be=new de,j=xo(we,{appeared(u){g&&le()?Q("onClientObjectReplicated",u):be.add(u)},removed(u){be.
delete(u)||Q("onClientObjectRemoved",u)}}),et=Nt({ids:()=>({sessionId:s,projectId:d,buildHash:r.buildHash}),gameState:()=>j.
gameState,playerState:()=>j.playerState(i),playerStates:j.players,objects:j.objects,onRpc:X.handle,change:null}),H={tid:0,
name:"",uuid:"",loaded:null,reported:!1,failure:"",asked:!1,active:!1},gt=null,mt=0;function le(){return H.tid===0||H.loaded!==
null}function Q(u,...y){b||n(u,...y)}function Ft(){g=!0,Q("onSessionStarted"),j.takeChanged(),Q("onClientGameStateReplic\
ated",j.gameState),j.playerState(i)&&Q("onClientPlayerStateReplicated",j.playerState(i)),_e()}function _e(){if(!g||!le())
return;let u=[...be];be.clear();for(let y of u)Q("onClientObjectReplicated",y)}function tt({transition:u,uuid:y,name:E,seamless:S}){
if(u<H.tid)return;if(u===H.tid)return H.reported?yt():void 0;j.dropObjects(S),H={tid:u,name:E,uuid:y,loaded:null,reported:!1,
failure:"",asked:!1,active:!1};let U=H;Q("onClientSceneLoadRequested",y,E,S,u);let{sceneLoader:M}=et;typeof M!="function"||
b||new xe(F=>F(M({uuid:y,name:E},S))).then(F=>Me({...Ue(e,U,F),transitionId:u},!0,""),F=>{e.log.error(`the scene ${E} co\
uld not be loaded:`,F),Me({transitionId:u},!1,F instanceof te?F.message:"the scene could not be loaded")})}function Me(u,y,E){
let S=u&&u.transitionId;H.tid===0&&e.log.note("notifyClientSceneLoaded: the host has not asked for a scene"),!(b||S!==H.
tid||H.reported)&&(H.reported=!0,y?H.loaded=Ue(e,H,u):H.failure=Ce(`${E}`||"the scene could not be loaded",512),y&&(mt=S),
yt(),y&&H.asked&&t.post(nt))}function yt(){let u=qe(x.loaded,{transition:H.tid,ok:H.failure==="",text:H.failure});oe.send(
{frame:u,isCall:!1})}function nt(){H.active||!H.loaded||(H.active=!0,gt=H.loaded,_e(),Q("onClientSceneActivate",H.tid))}
function bt({transition:u}){u===H.tid&&(H.asked=!0,nt())}function ot(){K||!I||(K=!0,oe.send({frame:qe(x.resync,{seq:G(j.
seq,0)}),isCall:!1}))}function _t({name:u,args:y,from:E,object:S},U){if(S!==0&&!j.objects.has(S))return U("no_object");X.
run(u,y,E,S,U)}function ke(u){e.clearTimeout(A),w&&(e.clearTimeout(D),D=e.setTimeout(()=>{I?.close(4005,"timeout"),ue()},
G(1e3,ee(Er,At()))));try{I=je(u)}catch(y){w?ue():h("unreachable",y instanceof te?y.message:"")}}function je(u){return ro(
e,{address:p,projectId:d,resuming:u,secret:y=>y===1?r.password===void 0?null:r.password:r.joinCode||vt(p.code)||null,auth:()=>({
build:r.buildHash,session:r.sessionId,name:r.playerName,kind:Or.indexOf(e.kind),spectator:r.asSpectator,userData:r.userData,
resume:u&&a.token?a.token:new B(0),loaded:mt}),onWelcome:St,onFrame:rt,onEnd:y=>at(y,u)})}function St(u){if(w&&u.id!==i)
throw new $("another seat");if(u.id<2)throw new $("a seat that no client has");e.clearTimeout(D),i=u.id,s=u.session,c=u.
role===1?"spectator":"player",f=u.limits,P=[],V=null,Y=!1,K=!0,a.keep(u.token,s),oe.start(f),Z.start(f,u.hostMicros),w?(N=
0,T=!1,t.post(()=>{X.endLost(),Q("onClientConnectionResumed")})):D=e.setTimeout(()=>h("timeout","the host sent no state"),
r.timeoutMs)}function rt(u){if(Z.hear(),t.flooded)throw new $("more than anybody can read");switch(u.type){case x.ping:{
let y=Be(e.now()*1e3);return I?.send(x.pong,{seq:u.seq,t0:u.t0,t1:y,t2:y})}case x.pong:return Z.pong(u);case x.load:return t.
post(()=>tt(u));case x.activate:return t.post(()=>bt(u));case x.result:{let y=e.now();return t.post(()=>X.settle(u.call,
1,wt[u.status]||"unknown",u.value,y),"keep",u.weight)}case x.rpc:return st(u);case x.relayed:{t.full||t.post(()=>_t(u,()=>{}),
"call",u.weight);return}default:return xt(u)}}function st(u){let y=I,E=(S,U=new B(0))=>{u.call===0||!y||!y.live||y!==I||
y.send(x.result,{call:u.call,status:wt.indexOf(S),value:U})};if(t.full)return E("queue_full");t.post(()=>_t({...u,from:1},
E),"call",u.weight)}function xt(u){switch(u.type){case x.names:if(u.base!==P.length)throw new $("a gap in the table of n\
ames");P.push(...u.names);return;case x.snapBegin:V={seq:u.seq,size:u.size,got:0,parts:[]};return;case x.snapPart:if(!V||
(V.got+=u.data.length)>V.size)throw new $("a part too much");V.parts.push(u.data);return;case x.snapEnd:return Tt(u.crc);case x.
delta:{let y=u.changes.map(U=>({target:U.target,fields:it(U.fields)})),{prev:E,seq:S}=u;return ge(u.weight,()=>{j.delta(
{prev:E,seq:S,changes:y})||ot()})}case x.spawn:{let y={...u.entity,fields:it(u.entity.fields)};return ge(u.weight,()=>j.
spawn(y))}case x.despawn:return ge(u.weight,()=>j.despawn(u.target));case x.owner:return ge(u.weight,()=>j.setOwner(u.object*
4+z,u.owner));case x.check:return ge(u.weight,()=>{!K&&(j.seq!==u.seq||j.checksum()!==u.crc)&&ot()});default:throw new $(
`a host does not send frame ${u.type}`)}}function it(u){return u.map(({name:y,removed:E,raw:S,value:U})=>{let M=P[y];if(M===
void 0)throw new $("a name that is not in the table");return{name:M,key:y,removed:E,raw:S,value:U}})}function Tt(u){if(!V)
throw new $("the end of no snapshot");let{seq:y,size:E,got:S,parts:U}=V;V=null;let M=new B(E),F=0;for(let me of U)M.set(
me,F),F+=me.length;if(S!==E||Lt(M)!==u)throw new $("a damaged snapshot");let W=Vn(M).map(me=>({...me,fields:it(me.fields)}));
ge(E,()=>{K=!1,j.snapshot(y,W),g?_e():Ft()}),!(w||Y)&&(w=!0,e.clearTimeout(D))}function ge(u,y){t.full&&!Y&&(t.dropState(),
Y=!0),Y||t.post(y,"state",u)}function at(u,y){if(m)return;let{code:E,bye:S,reject:U,fault:M}=u;if(!w)return y&&U==="bad_\
token"?(a.forget(),ke(!1)):h(Ao(u),u.text);if(U)return U==="bad_token"||U==="host_stopping"?h(fn(U,"")):ue();if(!(M?u.stage!==
"live":S?S==="timeout"||S==="slow_consumer":kr.includes(E)))return h(fn(S||M||E,u.text));u.stage==="live"?Pe():ue()}function Pe(){
if(Z.stop(),oe.pause(),!w)return h("unreachable");I=null,C=e.now(),X.linkLost(),t.post(()=>Q("onClientConnectionLost")),
N=0,ue()}function At(){return C+G(1e3,ee(f.resumeMillis,6e5))-e.now()}function ue(){I=null,e.clearTimeout(D),e.clearTimeout(
A);let u=At();if(u<=0)return h(T?"host_not_responding":"connection_lost");let y=Oo[ee(N++,Oo.length-1)];A=e.setTimeout(()=>ke(
!0),ee(y,u))}let l=e.onWake(()=>{m||(I&&I.live?Z.wake():w&&!I&&(N=0,ke(!0)))});function h(u,y=""){m||(m=!0,l(),Z.stop(),
oe.stop(),e.clearTimeout(D),e.clearTimeout(A),I?.close(4e3,"left"),I=null,w&&a.forget(),a.leave(),t.post(()=>{b=!0,g=!1,
X.failAll(u),o(y?`${u}: ${Ie(y)}`:u),n(w?"onSessionStopped":"onClientJoinFailed",u)},"always"))}return D=e.setTimeout(()=>h(
"timeout"),r.timeoutMs),ke(a.token!==null),{mode:"client",isAuthority:!1,hostPort:0,peers:[],get isSessionActive(){return g&&
!b},get localConnectionId(){return g&&!b?i:0},get localRole(){return g&&!b?c:"none"},get sessionId(){return g&&!b?s:""},
get activeScene(){return gt},get context(){return g&&!b?et:null},serverTime:()=>g&&Z.clock.synced?Z.clock.now(e.now()):e.
wall(),stop(){t.discard(),h(w?"local_stop":"cancelled"),g=!1,b=!0},update(){if(!b){X.expire();for(let u of j.takeChanged())
u===ne?Q("onClientGameStateReplicated",j.gameState):u===$e(i)?Q("onClientPlayerStateReplicated",j.playerState(i)):u%4===
z&&!be.has(ce(u))&&Q("onClientObjectReplicated",ce(u));!Y||!I||(Y=!1,K=!1,ot())}},notifyClientSceneLoaded:Me,sendRpcToHost(u,y,E){
let S={name:Ge(u),object:y,args:se(E)};if(m||!g)return _("not_connected");if(S.args.length>f.args)return k("too_large");
if(X.inFlight>=f.callsInFlight)return k("queue_full");let U={frame:S.args,isCall:!0,sent:()=>{M.sent=!0}},M=X.open([1],!1,
()=>oe.cancel(U));return U.frame=qe(x.rpc,{call:M.id,...S}),oe.send(U),M.operation.op}};function _(u){let y=Ee({log:e.log,
later:E=>t.post(E,"always")});return t.post(()=>y.fail(u),"always"),y.op}function k(u){let y=X.open([1],!1,()=>!1);return t.
post(()=>X.settle(y.id,1,u),"always"),y.operation.op}}function $o(e,t){let n=new q;function o(r,p){if(typeof r!="function")throw new L(`${e}: a listener is a function`);return n.
has(r)||n.set(r,p),()=>{n.delete(r)}}return{event:O.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[p,d]of[...n])if(n.has(p)){d&&n.delete(p);try{p(...r)}catch(a){t.
error(`${e}: a listener threw:`,a)}}}}}var Rr=O.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new B(0),stats:O.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),Io=()=>Rr;function Ke(e){return O.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:Dt(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:O.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var ie=1,Co={size:32<<20,nesting:20,elements:1<<17},$r=500,Ir=2e3;function Mo(e,{mail:t,emit:n,finished:o,approval:r},p,d,a){
let{sessionId:i}=p,s=!0,c=!1,f=!1,w=e.now(),g=0,m=new q,b=new q,I=new q,C=new de,T=new q,N=null,D=new q,A=[],P={tid:0,uuid:"",
name:"",instance:null},V=null,Y=null,K=Mt({log:e.log,now:e.now,later:l=>t.post(l,"always")}),Z=Bt(e,{ping:(l,h)=>j("ping",
l,h),silent(){}});Z.clock.start(d.hostMicros/1e3,e.now());let oe=e.onWake(()=>{Z.wake(),tt()}),X={sessionId:i,localConnectionId:ie,
get writable(){return s},changed:(l,h,_)=>{m.get(l.target)===l&&j("set",l.target,h,_)}},we=[],be=!1;a.onopen=()=>{be=!0,
Z.start({pingMillis:1e4,timeoutMillis:6e5},d.hostMicros),H()},a.onclose=()=>ue(c?"local_stop":"connection_lost"),a.onmessage=
l=>{let h;try{h=ft(new B(l),Co)}catch(_){return e.log.error("the launcher sent something else than events:",_),ue("proto\
col_error")}for(let[_,...k]of h)gt(_,k);e.now()-w>$r&&tt()};function j(...l){et(l)}function et(l){!f&&we.push(l)===1&&xe.
resolve().then(H)}function H(){if(!be||f||we.length===0)return;let l=we;we=[],a.send(dt(l,Co))}function gt(l,h){let[_,...k]=h;
if(!(c&&l!=="stopped"))switch(l){case"pong":return Z.pong({seq:h[0],t0:h[1],t1:h[2],t2:h[3]});case"approve":{A.push(()=>yt(
_,k[0]));return}case"forget":return Me(_);case"stopped":return ue(c?"local_stop":`${_}`);case"call":{let[u,y,E,S,U]=k,M=(F,W=new B(
0))=>{U&&j("reply",_,F,W)};return t.full?M("queue_full"):t.post(()=>ge(u,y,E,S,M),"call",S.length)}default:{let u=mt[l];
u&&t.post(()=>u(...h))}}}let mt={state:Ft,peers:l=>{for(let h of l)T.has(h.id)&&T.set(h.id,Ke(h))},connected(l,h){let _=T.
has(l.id);T.set(l.id,Ke(l)),_e(nt(l.id),h),_||le("onHostPeerConnected",T.get(l.id)),j("ready",l.id)},disconnected(l,h){N=
Ke({...l,state:"gone"}),T.delete(l.id);for(let _ of[...m.values()])_.target%4===z&&_.owner===l.id&&ot(_);le("onHostPeerD\
isconnected",l.id,h),N=null,I.delete(l.id),m.delete($e(l.id))},dropped:l=>Q("onHostPeerDropped",l),resumed:l=>Q("onHostP\
eerResumed",l),load:it,sceneLoaded:l=>Q("onHostPeerSceneLoadComplete",l),activated(l,h){Tt(h),Q("onHostPeerActivatedInSc\
ene",l)},complete(l){Tt(l),le("onHostSceneTransitionComplete",l)},aborted:(l,h)=>le("onHostTransitionAborted",l,h),result:(l,h,_,k)=>K.
settle(l,h,wt.includes(_)?_:"unknown",k),failed:(l,h)=>K.fail(l,`${h}`)};function le(l,...h){c||n(l,...h)}function Q(l,h){
T.has(h.id)&&(T.set(h.id,Ke(h)),le(l,h.id))}function Ft(l){for(let[h,_,k,u,y,E]of l.entities)h%4!==z?_e(h===ne?st:nt(h>>
2),_):m.has(h)||_e(bt(h,k,u,y,E),_);if(l.scene){let[h,_,k]=l.scene;P={tid:h,uuid:_,name:k,instance:null},V=Ue(e,P,null)}
for(let h of l.peers)T.set(h.id,Ke(h));le("onSessionStarted");for(let{id:h}of l.peers)T.has(h)&&le("onHostPeerConnected",
T.get(h))}function _e(l,h){for(let[_,k]of h)l.fields.has(_)||l.fields.set(_,{key:0,raw:k,value:ft(k)})}function tt(){let l=A;
A=[];for(let h of l)h()}function Me(l){let h=D.get(l);D.delete(l),h&&h.abort()}function yt(l,h){let _=new pn;D.set(l,_);
let k=S=>{let U=S!==null&&typeof S=="object"?S:{approved:S},M=U.playerState?Uo(U.playerState):[],F=U.role==="spectator"||
U.role==="player"?U.role:"",W=Ce(`${U.reason||""}`,512);D.delete(l)&&j("decide",l,U.approved===!0,W,F,M)},u=S=>{e.log.error(
"connectionApprovalCallback threw:",S),D.delete(l)&&j("decide",l,null,"","",[])},y=r();if(typeof y!="function")return k(
!0);let E=O.freeze({projectId:p.projectId,buildHash:h.build,sessionId:i,playerName:h.name,asSpectator:h.spectator,userData:h.
userData,provisionalConnectionId:l,remoteAddress:h.address,clientKind:h.kind,buildMatches:h.buildMatches,signal:_.signal});
try{let S=y(E);S&&typeof S.then=="function"?S.then(k).then(void 0,u):k(S)}catch(S){u(S)}}function nt(l){let h=$e(l),_=m.
get(h)||Ye(X,h,"PlayerState",0,!1);return m.set(h,_),I.set(l,_.view),_}function bt(l,h,_,k,u){let y=Ye(X,l,h,_,k),E=(l-z)/
4;return m.set(l,y),b.set(E,y.view),u&&C.add(E),E>g&&(g=E),y}function ot(l){let h=(l.target-z)/4;if(C.has(h))return rt.despawn(
h);l.owner=ie,j("owner",h,ie)}function _t(l){for(let h of[...m.values()])h.target%4===z&&!(l&&h.persistent)&&ke(h.target)}
function ke(l){let h=(l-z)/4;return C.delete(h),b.delete(h),m.delete(l)}function je(){if(!s)throw new te("the session is\
 over")}function St(l){if(l===void 0||l===0||l===ie||T.has(l))return l||0;throw new L(`no peer ${l} in the session`)}let rt={
spawn(l,h,_){je();let k=typeof l=="string"?J(l).length:0;if(k===0||k>128)throw new L("spawn: the type of an object is a \
text of 1 to 128 bytes");let{owner:u,persistent:y=!1,despawnWithOwner:E=!1}=_||{},S=St(u),U=Uo(h||{}),M=g+1,F=bt(Je(M),l,
S,!!y,!!E);return _e(F,U),j("spawn",M,l,S,F.persistent,C.has(M),U),F.view},despawn(l){je(),ke(Je(l))&&j("despawn",l)},setOwner(l,h){
je();let _=m.get(Je(l));if(!_)throw new L(`no object ${l} in the session`);_.owner=St(h),j("owner",l,_.owner)}},st=Ye(X,
ne,"GameState",0,!1);m.set(ne,st);let xt=Nt({ids:()=>p,gameState:()=>st.view,playerState:()=>I.get(ie),playerStates:I,objects:b,
onRpc:K.handle,change:rt});function it(l,h,_,k,u){if(u){for(let M of[...b.keys()])rt.despawn(M);V=null}P={tid:l,uuid:h,name:_,
instance:null};let y=P,E=Y&&Y.uuid===h?Y:{uuid:h,name:_},{sceneLoader:S}=xt;(async()=>{let M=typeof E.load=="function"&&
!E.loaded&&await E.load()||E;return typeof S=="function"?S(M,k):null})().then(M=>{P===y&&(y.instance=Ue(e,y,M),j("loaded",
l,!0,""))},M=>{e.log.error(`the scene ${_} could not be loaded:`,M),j("loaded",l,!1,Ce(M instanceof te?M.message:`${M}`,
512))})}function Tt(l){P.tid===l&&(!V||V.transitionId!==l)&&(V=P.instance||Ue(e,P,null))}function ge(l,h,_,k,u){let y=_===
0?null:m.get(Je(_));if(y===void 0)return u("no_object");if(y&&l!==ie&&y.owner!==l&&K.handlers.has(h)&&!K.handlers.get(h)?.
anyone)return u("not_owner");K.run(h,k,l,_,u)}function at(l,h,_,k,u){let y=Ge(l),E=se(_).slice();if(!s)return Pe(W=>W.fail(
"not_connected"));if(k.length===0)return Pe(W=>W.succeed([]));let S=["call",0,y,h,E,[]],U=K.open(k,u,()=>k.includes(ie)||
!we.includes(S)?!1:(we=we.filter(W=>W!==S),!0)),M=(W,me)=>t.post(()=>K.settle(U.id,W,me));S[1]=U.id;let F=S[5];for(let W of k)
E.length>d.maxArgs?M(W,"too_large"):W===ie?t.post(()=>ge(ie,y,h,E,(me,Ho)=>t.post(()=>K.settle(U.id,ie,me,Ho)))):T.has(W)?
h!==0&&!b.has(h)?M(W,"no_object"):F.push(W):M(W,"peer_gone");return F.length>0&&et(S),U.operation.op}function Pe(l){let h=Ee(
{log:e.log,later:_=>t.post(_,"always")});return t.post(()=>l(h),"always"),h.op}function At(){c||f||(j("stop"),H(),c=!0,s=
!1,t.discard(),e.setTimeout(()=>ue("local_stop"),Ir))}function ue(l){if(!f){f=!0,s=!1,oe(),Z.stop(),a.close(1e3,"");for(let h of[
...D.keys()])Me(h);A=[],t.post(()=>{c=!1,K.failAll(l);for(let[h,_]of[...T].sort(([k],[u])=>k-u))N=O.freeze({..._,state:"\
gone"}),T.delete(h),n("onHostPeerDisconnected",h,"host_stopped");N=null,o(l),n("onSessionStopped",l)},"always")}}return{
get mode(){return d.dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){return s?d.port:0},get joinCode(){return s?
d.joinCode:""},get isSessionActive(){return s},get localConnectionId(){return s?ie:0},localRole:"authority",get sessionId(){
return s?i:""},get peers(){return[...T.values()].sort((l,h)=>l.connectionId-h.connectionId)},get activeScene(){return V},
get context(){return s?xt:null},serverTime:()=>Z.clock.now(e.now()),peer:l=>T.get(l)||(N&&N.connectionId===l?N:void 0),stop:At,
beforeUpdate(){w=e.now(),tt()},update(){},disconnectPeer(l,h){if(l===ie)throw new L("disconnectPeer: the host leaves by \
stop()");s&&T.has(l)?j("kick",l,Ce(`${h===void 0?"":h}`,512)):e.log.debug(`disconnectPeer: no peer ${l}`)},hostLoadScene(l,h){
let{uuid:_,name:k}=ko(l);je(),_t(h),h||(V=null),Y=l,j("scene",_,Ce(k,128),h)},sendRpcToConnection:(l,h,_,k)=>at(l,h,_,[k],
!1),sendRpcMulticast:(l,h,_,k)=>at(l,h,_,[...new de(k)],!0),sendRpcToOwner(l,h,_){let k=m.get(Je(h));return!k||k.owner===
0?(Ge(l),Pe(u=>u.fail(k?"no_owner":"no_object"))):at(l,h,_,[k.owner],!1)}}}function Uo(e){let t=typeof e.names=="functio\
n"&&typeof e.get=="function",n=t?e.names():O.keys(e),o=[];for(let r of n){if(J(r).length>128||r==="")throw new L("state:\
 a name has 1 to 128 bytes");o.push([r,dt(t?e.get(r):e[r])])}return o}function jo(){let e=[],t=0,n=0,o=0;function r(p){e=e.slice(t).filter(d=>p(d.kind)),t=0,n=0;for(let d of e)n+=d.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(p,d="keep",a=0){e.push({kind:d,
bytes:a,order:++o,run:p}),n+=a},dropState:()=>r(p=>p!=="state"),discard:()=>r(p=>p==="always"),drain(){let p=o;for(;t<e.
length&&e[t].order<=p;){let d=e[t++];n-=d.bytes,d.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var Cr=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],dn={mode:"none",isAuthority:!1,hostPort:0,joinCode:"",isSessionActive:!1,localConnectionId:0,localRole:"none",
sessionId:"",peers:[],activeScene:null,context:null};function Lo(e,t){let n=new gn,o=d=>{let a=n.get(d);if(!a)throw new L(
"not a NetSessionManager");return a};class r{constructor(){let a=jo(),i={},s={role:null,lastError:"",approval:null,mail:a,
updating:!1,hooks:{mail:a,emit:(c,...f)=>i[c](...f),finished(c){s.lastError=c,s.role=null},approval:()=>s.approval}};n.set(
this,s);for(let c of Cr){let{event:f,emit:w}=$o(c,e.log);i[c]=w,Se(this,c,{value:f,enumerable:!0})}}get peerCount(){return(o(
this).role||dn).peers.length}get serverTimeEpochMs(){let{role:a}=o(this);return a?a.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(a){if(a!=
null&&typeof a!="function")throw new L("connectionApprovalCallback is a function or null");o(this).approval=a||null}startHost(a,i,s,c,f={}){
let w=o(this),g={projectId:Qe("projectId",a),sessionId:Qe("sessionId",i),buildHash:Qe("buildHash",s),port:c==null?null:Ur(
c),...Mr(f)};if(w.role)return Ze(w,"a session is active already");if(!e.host)return Ze(w,"only a game that runs in Conch\
 can host a session");let m=e.host.start(g);return m.ok?(w.lastError="",w.role=Mo(e,w.hooks,g,m,e.host.link(m.link)),!0):
Ze(w,Ie(`${m.error}`))}joinSession(a,i){let s=o(this),c=jr(a);if(s.role)return Ze(s,"a session is active already");let f=Yn(
i);return f?t.local&&!Kn(f,t.allowedHosts)?Ze(s,`${f.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=Ro(e,s.hooks,c,f),!0):Ze(s,`'${Ie(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${on}`)}stop(){let{role:a}=o(this);a&&a.stop()}update(a){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(a){let{role:i}=o(this);return i&&i.peer&&i.peer(a)||Io()}disconnectPeer(a,i){Po(o(this),"disco\
nnectPeer").disconnectPeer(a,i)}hostLoadScene(a,i=!1){Po(o(this),"hostLoadScene").hostLoadScene(a,!!i)}notifyClientSceneLoaded(a,i=!0,s=""){
let{role:c}=o(this);if(!c||!c.notifyClientSceneLoaded)throw new te("notifyClientSceneLoaded: only a client of a session \
calls it");c.notifyClientSceneLoaded(a,!!i,s)}sendRpcToHost(a,i,s){return p(o(this),"sendRpcToHost","not_client",[a,Vt(i),
s])}sendRpcToConnection(a,i,s,c){return p(o(this),"sendRpcToConnection","not_host",[a,Vt(i),s,zt(c,"connectionId")])}sendRpcToOwner(a,i,s){
return p(o(this),"sendRpcToOwner","not_host",[a,Vt(i),s])}sendRpcMulticast(a,i,s,c){if(!Array.isArray(c))throw new L("se\
ndRpcMulticast: connectionIds is a list");let f=c.map(w=>zt(w,"a connection id"));return p(o(this),"sendRpcMulticast","n\
ot_host",[a,Vt(i),s,f])}}for(let d of O.keys(dn))Se(r.prototype,d,{get(){let a=o(this).role||dn;return d==="joinCode"?a.
joinCode||"":d==="peers"?[...a.peers]:a[d]},configurable:!0});return Se(r,"name",{value:"NetSessionManager",configurable:!0}),
r;function p(d,a,i,s){if(se(s[2]),d.role&&d.role[a])return d.role[a](...s);let c=Ee({log:e.log,later:f=>d.mail.post(f,"a\
lways")});return d.mail.post(()=>c.fail(d.role?i:"not_connected"),"always"),c.op}}function Ze(e,t){return e.lastError=t,
!1}function Po(e,t){if(!e.role||!e.role.isAuthority)throw new te(`${t}: only the session host calls it`);return e.role}function Qe(e,t){
if(typeof t=="string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new L(`${e} has 1 to 128 of the characters A-Z\
 a-z 0-9 . _ : + -`)}function zt(e,t){if(re.isSafeInteger(e)&&e>=0)return e;throw new L(`${t} is a whole number, not ${e}`)}
function Vt(e){return zt(e,"the id of an object")}function Ur(e){if(re.isInteger(e)&&e>=0&&e<=65535)return e;throw new L(
`startHost: the port is a whole number from 0 to 65535, not ${e}`)}function Mr({password:e,open:t,maxPeers:n,anyBuild:o}){
let r={};return e!==void 0&&(r.password=`${e}`),t!==void 0&&(r.open=!!t),n!==void 0&&(r.maxPeers=zt(n,"maxPeers")),o!==void 0&&
(r.anyBuild=!!o),r}function jr(e){if(e===null||typeof e!="object")throw new L("joinSession: the request is an object wit\
h projectId and buildHash");let{projectId:t,buildHash:n,sessionId:o,playerName:r="",password:p,joinCode:d="",asSpectator:a,
userData:i,timeoutMs:s=1e4}=e,c=se(i).slice();if(c.length>4096)throw new L(`joinSession: userData has ${c.length} bytes,\
 at most 4096 are sent`);if(p!==void 0&&J(`${p}`).length>1024)throw new L("joinSession: the password is longer than 1024\
 bytes");return{projectId:Qe("projectId",t),buildHash:Qe("buildHash",n),sessionId:o===void 0||o===""?"":Qe("sessionId",o),
playerName:Dt(r),password:p===void 0?void 0:`${p}`,joinCode:vt(`${d}`),asSpectator:!!a,userData:c,timeoutMs:re.isFinite(
s)?ee(G(s,1e3),6e4):1e4}}var Pr=O.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),Lr=O.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function No(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:Lo(
Fn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:Pr,NetRole:Lr,DataStream:he}}var ye=globalThis,Bo=Symbol.for("conch.session");function Nr(){let e=ye[Bo];return delete ye[Bo],e||{driver:Tn(ye.WebSocket),
log:An({debug:!1},Ot),origin:"",allowedHosts:[]}}if(ye.document&&!(ye.conch&&ye.conch.NetSessionManager)){let e=No(ye,Nr()),
{NetSessionManager:t}=e,n=O.freeze({version:"1.0",...ye.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
Se(ye,o,{value:r,writable:!0,configurable:!0})}})();
