// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:le,construct:Et,defineProperty:me,getOwnPropertyDescriptor:Gt}=Reflect,{AbortController:hn,ArrayBuffer:lt,Blob:Hr,
DOMException:Dr,DataView:fe,Error:te,EventSource:vr,JSON:ve,Map:W,Number:ie,Object:O,Promise:ye,Proxy:Vr,RangeError:I,Set:de,
String:zr,TextDecoder:wn,TextEncoder:gn,TypeError:M,URL:ut,Uint32Array:be,Uint8Array:P,WeakMap:mn,XMLHttpRequest:yn,clearTimeout:bn,
encodeURIComponent:kt}=globalThis,{abs:_n,floor:Ve,fround:Sn,max:J,min:ee,random:Fr}=Math,Xt=Date.now,xn=globalThis.performance?
globalThis.performance.now.bind(globalThis.performance):Xt;function Tn(e){return vo.getRandomValues(new P(e))}var qr=Jt(
globalThis.fetch),Wt=Jt(globalThis.setTimeout),Gr=Jt(globalThis.setInterval),De=globalThis.console,Ot={error:De.error.bind(
De),warn:De.warn.bind(De),info:De.info.bind(De)},{crypto:vo}=globalThis,{addEventListener:Vo,removeEventListener:zo}=globalThis.
EventTarget.prototype;function Jt(e){return e&&e.bind(globalThis)}function ze(e,t,n,o){le(Vo,e,[t,n,o])}function Fe(e,t,n){
le(zo,e,[t,n])}function pe(e,t){let n=e&&Gt(e,t)?.get;return n?o=>le(n,o,[]):o=>o[t]}function An(e){let t=e.prototype,{send:n,close:o}=t,r=Gt(t,"binaryType")?.set,{MessageEvent:p,CloseEvent:d}=globalThis;return{
open(a,i){let s=Et(e,i===void 0?[a]:[a,i]);return r&&le(r,s,["arraybuffer"]),s},send:(a,i)=>le(n,a,[i]),close:(a,...i)=>le(
o,a,i),readyState:pe(t,"readyState"),bufferedAmount:pe(t,"bufferedAmount"),protocol:pe(t,"protocol"),listen:ze,unlisten:Fe,
data:pe(p?.prototype,"data"),code:pe(d?.prototype,"code"),reason:pe(d?.prototype,"reason"),wasClean:pe(d?.prototype,"was\
Clean")}}function En(e,t=Ot){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var Yt=1<<20,Kt=ie.MAX_SAFE_INTEGER,Fo=pe(lt.prototype,"byteLength"),qo=new gn,Go=new wn("utf-8",{fatal:!0,ignoreBOM:!0});
function Y(e){return qo.encode(e)}function _e(e){return Go.decode(e)}function ae(e){if(e instanceof he)return e._bytes.subarray(
0,e._length);if(lt.isView(e))return new P(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new P(0);try{Fo(e)}catch{
throw new M("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new P(e)}var he=class{constructor(){
this._bytes=new P(64),this._view=new fe(this._bytes.buffer),this._length=0,this._at=0,this._limit=Yt}static from(t){let n=ae(
t);if(n.length>Yt)throw new I(`DataStream: ${n.length} bytes, at most ${Yt} fit`);return ft(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new I(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new I(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new P(J(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new fe(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new I("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Kt)||t%1!==0)throw new I(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(Y(t))}writeBytes(t){
let n=ae(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=ae(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new I("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Kt||o===0&&n>1)break;return t}}throw new I("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return _e(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function ft(e){let t=new he;return t._bytes=
e,t._view=new fe(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function qe(){let e=new he;return e._limit=Kt,
e}var On=65536,Rn=16,$n=4096,kn=ie.MAX_SAFE_INTEGER,{hasOwnProperty:Xo}=O.prototype,Ge=new fe(new P(8).buffer);function Zt(e,{
size:t=On,nesting:n=Rn,elements:o=$n}={}){let r=new fe(e.buffer,e.byteOffset,e.byteLength),p=0;function d(g){let m=p;if(m+
g>e.length||m+g>t)throw new I("value is cut short or too long");return p+=g,m}function a(g){if(g<24)return g;if(g===24)return r.
getUint8(d(1));if(g===25)return r.getUint16(d(2));if(g===26)return r.getUint32(d(4));if(g!==27)throw new I("value of unk\
nown length");let m=d(8),b=r.getUint32(m)*2**32+r.getUint32(m+4);if(b>kn)throw new I("number too large");return b}function i(g){
let m=a(g);if(m>o)throw new I(`${m} elements, at most ${o}`);return m}function s(g){let m=a(g),b=d(m);return e.subarray(
b,b+m)}function c(g){if(g===20||g===21)return g===21;if(g===22)return null;if(g===25)return Jo(r.getUint16(d(2)));if(g===
26)return r.getFloat32(d(4));if(g===27)return r.getFloat64(d(8));throw new I("not a value of state")}function f(g){let m=r.
getUint8(d(1)),b=m&31,C=m>>5;if(g===0&&(C===4||C===5))throw new I("nested too deep");switch(C){case 0:return a(b);case 1:{
let U=a(b);if(U===kn)throw new I("number too large");return-1-U}case 2:return s(b).slice();case 3:return _e(s(b));case 4:{
let U=[];for(let x=i(b);x>0;x--)U.push(f(g-1));return O.freeze(U)}case 5:{let U={};for(let x=i(b);x>0;x--){let j=r.getUint8(
d(1));if(j>>5!==3)throw new I("a key that is no text");let N=_e(s(j&31));if(le(Xo,U,[N]))throw new I("the same key twice");
me(U,N,{value:f(g-1),enumerable:!0})}return O.freeze(U)}case 7:return c(b);default:throw new I("not a value of state")}}
return{value:f(n),length:p}}function dt(e,t){let{value:n,length:o}=Zt(e,t);if(o!==e.length)throw new I("bytes after the \
value");return n}function pt(e,{size:t=On,nesting:n=Rn,elements:o=$n}={}){let r=qe();function p(s,c){let f=s<<5;if(c<24)
return r.writeU8(f|c);let w=c<2**8?0:c<2**16?1:c<2**32?2:3;r.writeU8(f|24+w),Ge.setUint32(0,c/2**32),Ge.setUint32(4,c),r.
writeRaw(new P(Ge.buffer,8-(1<<w)))}function d(s,c){p(s,c.length),r.writeRaw(c)}function a(s){if(ie.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?p(1,-1-s):p(0,s);let c=Sn(s)===s||s!==s;r.writeU8(c?250:251),c?Ge.setFloat32(0,s):Ge.setFloat64(0,s),
r.writeRaw(new P(Ge.buffer,0,c?4:8))}function i(s,c){if(r.length>t)throw new I(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return a(s);if(typeof s=="str\
ing")return d(3,Y(s));if(s instanceof P)return d(2,s);let f=Array.isArray(s);if(!f&&!Wo(s))throw new M("state holds null\
, booleans, numbers, texts, Uint8Array, lists and plain objects of these");if(c===0)throw new I(`a value of state nests \
at most ${n} deep`);let w=f?s:O.keys(s);if(w.length>o)throw new I(`a list or object in state has at most ${o} elements`);
p(f?4:5,w.length);for(let g of w)f||d(3,Y(g)),i(f?g:s[g],c-1)}if(i(e,n),r.length>t)throw new I(`a value of state has at \
most ${t} bytes`);return r.toUint8Array()}function Wo(e){if(typeof e!="object")return!1;let t=O.getPrototypeOf(e);return t===
null||O.getPrototypeOf(t)===null}function Jo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var nn="conch.session.1",Nn="/_conch/session",Bn=524288,Yo=16<<20,In=4096,Cn=1,It=0,Ee=1,F=2,gt=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},Rt={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},Un={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},wt={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},ht=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),Ae=e=>({read:t=>t.readRaw(Ct(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),We=(e,t=0)=>({read(n){let o=Ct(n.readVarU(),e);if(o<t)throw new I("a name that is empty");return _e(n.readRaw(o))},
write:(n,o)=>n.writeBytes(Y(o))}),$t=(e,t)=>({read(n){let o=[];for(let r=Ct(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),H=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new I("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),en={read(e){
let t=e.readVarU();if(t%4>F||t%4===It&&t>0)throw new I("a target of no kind");return t},write:R.write},Ko={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new P(0),value:void 0};let o=e.position,{value:r,length:p}=Zt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(p).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},tn=$t(1024,Ko),Mn=H({class:We(128),owner:R,persistent:wt}),Hn={read(e){let t=en.
read(e),{class:n,owner:o,persistent:r}=t%4===F?Mn.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:tn.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===F&&Mn.write(e,t),tn.write(e,t.fields)}},jn=We(
128,1),Pn=Ae(262144),Xe=We(128),Qt=We(512),Ln=We(32),Zo=H({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),S={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},Dn={[S.hello]:H({minVersion:R,maxVersion:R,nonce:ht(
16),project:ht(32)}),[S.challenge]:H({version:R,nonce:ht(16),project:ht(32),need:Rt,salt:Ae(32),iterations:R}),[S.auth]:H(
{build:Xe,session:Xe,name:Xe,kind:Rt,spectator:wt,userData:Ae(4096),proof:Ae(32),resume:Ae(16),loaded:R}),[S.welcome]:H(
{id:R,session:Xe,token:ht(16),role:Rt,resumed:wt,proof:Ae(32),hostMicros:R,tickHz:R,limits:Zo}),[S.reject]:H({code:Ln,text:Qt,
retryAfterMillis:R}),[S.ping]:H({seq:R,t0:R}),[S.pong]:H({seq:R,t0:R,t1:R,t2:R}),[S.bye]:H({code:Ln,text:Qt}),[S.load]:H(
{transition:R,uuid:Xe,name:Xe,seamless:wt}),[S.loaded]:H({transition:R,ok:wt,text:Qt}),[S.activate]:H({transition:R}),[S.
names]:H({base:R,names:$t(In,We(128))},e=>e.base+e.names.length<=In),[S.snapBegin]:H({seq:R,size:R},e=>e.size<=Yo),[S.snapPart]:{
read:e=>({data:e.readRaw(Ct(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[S.snapEnd]:H({crc:Un}),
[S.delta]:H({prev:R,seq:R,changes:$t(65536,H({target:en,fields:tn}))}),[S.spawn]:H({entity:Hn},e=>e.entity.target%4===F),
[S.despawn]:H({target:en},e=>e.target!==It),[S.owner]:H({object:R,owner:R}),[S.resync]:H({seq:R}),[S.check]:H({seq:R,crc:Un}),
[S.rpc]:H({call:R,object:R,name:jn,args:Pn}),[S.result]:H({call:R,status:Rt,value:Ae(65536)}),[S.relayed]:H({from:R,object:R,
name:jn,args:Pn})};function Ct(e,t){if(e>t)throw new I(`longer than ${t}`);return e}function Je(e,t){let n=qe();Dn[e].write(
n,t);let o=qe();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function vn(e){let t=ft(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~Cn)throw new I(`frame ${o} has unknown flags`);let p=t.readRaw(t.readVarU()),d=Dn[o];if(d)n.
push({type:o,weight:p.length,...d.read(ft(p))});else if(!(r&Cn))throw new I(`unknown frame ${o}`)}while(t.position<t.length);
return n}var Vn=$t(65536,Hn);function zn(e){return Vn.read(ft(e))}function Fn(e){let t=qe();return Vn.write(t,e),t._bytes.
subarray(0,t._length)}function qn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),p=0,d={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},a=({host:i,port:s,secure:c})=>`${c?"wss":"ws"}://${i}:${s}${Nn}`;
return{connect(i,{projectId:s}){let c=a(i);if(!o)return on(t,c,nn);let f=`u=${kt(c)}&project=${kt(s)}&n=${++p}`;return on(
t,`${r}/__conch/session/join?${f}`,nn)},now:xn,wall:Xt,random:Tn,setTimeout:(i,s)=>Wt(i,s),clearTimeout:i=>bn(i),storage:er(
e),places:new de,log:d,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,c=()=>{s.visibilityState==="visible"&&i()};
return s&&ze(s,"visibilitychange",c),ze(e,"pageshow",i),ze(e,"online",i),()=>{s&&Fe(s,"visibilitychange",c),Fe(e,"pagesh\
ow",i),Fe(e,"online",i)}},host:o?{start:i=>Qo(`${o}/__conch/session/host`,i),link:i=>on(t,`${r}/__conch/session/link?hos\
t=${kt(i)}`,void 0)}:null}}function on(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){
return e.bufferedAmount(o)},send(a){e.readyState(o)===1&&e.send(o,a)},close(a,i){e.readyState(o)<2&&e.close(o,a,i)}};e.listen(
o,"open",()=>{if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(
o,"message",a=>{r.onmessage&&r.onmessage(e.data(a))});let p=!1;function d(a,i){p||(p=!0,r.onclose&&r.onclose(a,i))}return e.
listen(o,"close",a=>d(e.code(a),e.reason(a))),e.listen(o,"error",()=>Wt(()=>{e.readyState(o)===3&&d(1006,"")},100)),r}function Qo(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=Et(
yn,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(ve.stringify(t)),O.assign(
n,ve.parse(o.responseText))}catch{return n}}function er(e){try{return e.sessionStorage||null}catch{return null}}var tr=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,nr=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
or=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,rr=/^\d+\.\d+\.\d+\.\d+$/;function sr(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=tr.exec(t);if(!n)return null;let o=n[3]===void 0?0:Number(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=Jn(new ut(`ws://${n[2]}/`).hostname)}catch{return null}let p=n[1]!==void 0;return!r||p&&Yn(r)?null:{host:r,port:o,
wildcard:p}}function Gn(e){let t=[];for(let n of e){let o=sr(n);o&&t.push(o)}return t}function Xn(e,t){let n=Ut(t),o=ir(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Yn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function Ut(e){
return Jn(e.hostname)}function ir(e){return e.port?Number(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function Wn(e){
let t=Ut(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function Jn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=or.exec(n);if(!o)return n;let r=parseInt(o[1],16),p=parseInt(o[2],16);return`${r>>8}.${r&255}.${p>>8}.${p&255}`}let t=e.
endsWith(".")?e.slice(0,-1):e;return t.length<=253&&nr.test(t)?t:""}function Yn(e){return e.includes(":")||rr.test(e)}var rn=24642;function Kn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,p=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),d;try{d=new ut(`${p?"wss":"ws"}://${r}`)}catch{return null}let a=Ut(d),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(d.pathname)||[];if(!a||d.pathname!=="/"&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,"")),c=s?Number(
s[1]):n?p?443:80:rn;if(c<1||c>65535)return null;let f=a.includes(":")?`[${a}]`:a;return{host:f,port:c,secure:p,text:`${f}\
:${c}`,code:i}}function Zn({host:e,port:t,secure:n},o){let r=new ut(`${n?"wss":"ws"}://${e}:${t}/`);return Wn(r)||/\.local$/.
test(e)||ar(e)||Xn(Gn(o),r)}function ar(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function Se({log:e,later:t,cancel:n}){let o="pending",r,p=[];function d(i,s){if(o!=="pending")return;o=i,r=s;let c=p;p=[];
for(let f of c)f()}let a=O.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new M("onDone: a listener is a function");let s=()=>{try{i(a)}catch(c){
e.error("onDone threw:",c)}};return o==="pending"?p.push(s):t(s),a},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>d(
"failed","cancelled")),!0)},then(i,s){let f=new ye((w,g)=>{let m=()=>o==="succeeded"?w(r):g(new te(r));o==="pending"?p.push(
m):m()}).then(i,s);return f.catch(()=>{}),f}});return{op:a,succeed:i=>d("succeeded",i),fail:i=>d("failed",i)}}var cr=65536,lr=1e4;function Mt({log:e,now:t,later:n}){let o=new W,r=new W,p=0;function d(a){let i=[...a.results.values()];
i.some(s=>s===null)||(r.delete(a.id),a.operation.succeed(a.many?O.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(a,i,s){let c=++p,f=Se({log:e,later:n,cancel:()=>s()&&r.delete(c)}),w={id:c,operation:f,many:i,results:new W,at:t(),
sent:!1,lost:!1,takeBack:s};for(let g of a)w.results.set(g,null);return r.set(c,w),w},settle(a,i,s,c,f=t()){let w=r.get(
a);if(!w||w.results.get(i)!==null)return;let g={callId:a,connectionId:i,rttMs:f-w.at,status:s};w.results.set(i,O.freeze(
c&&c.length?{...g,value:he.from(c)}:g)),d(w)},fail(a,i){let s=r.get(a);r.delete(a),s&&s.operation.fail(i)},failAll(a){for(let i of[
...r.keys()])this.fail(i,a)},linkLost(){for(let a of r.values())a.sent&&(a.lost=!0)},endLost(){for(let a of[...r.values()])
if(a.lost)for(let i of a.results.keys())this.settle(a.id,i,"unknown")},expire(){for(let a of[...r.values()])if(!(t()-a.at<
lr)){a.takeBack()&&this.fail(a.id,"timeout");for(let i of a.results.keys())this.settle(a.id,i,"timeout")}},handle(a,i,s){
let c=Ye(a);if(typeof i!="function")throw new M("onRpc: a handler is a function");let f={run:i,anyone:s};return o.set(c,
f),()=>o.get(c)===f&&o.delete(c)},run(a,i,s,c,f){let w=o.get(a);if(!w)return f("no_handler");let g=b=>{e.error(`the hand\
ler of the call ${a} threw:`,b),f("handler_threw")},m=b=>{let C=ae(b);C.length>cr?f("too_large"):f("ok",C.slice())};try{
let b=le(w.run,void 0,[he.from(i),s,c]);b&&typeof b.then=="function"?b.then(m).then(void 0,g):m(b)}catch(b){g(b)}}}}function Ye(e){
let t=typeof e=="string"?Y(e).length:0;if(t===0||t>128)throw new M("the name of a call is a text of 1 to 128 bytes");return e}var Qn=dr(64),ur=new be(Qn.map(e=>to(e**(1/3)))),eo=new be(Qn.slice(0,8).map(e=>to(e**(1/2)))),fr=pr();function dr(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function to(e){return(e-Ve(e))*2**32}function sn(e,t){
for(let c=16;c<64;c++){let f=t[c-15],w=t[c-2];t[c]=t[c-16]+t[c-7]+((f>>>7|f<<25)^(f>>>18|f<<14)^f>>>3)+((w>>>17|w<<15)^(w>>>
19|w<<13)^w>>>10)}let[n,o,r,p,d,a,i,s]=e;for(let c=0;c<64;c++){let f=s+((d>>>6|d<<26)^(d>>>11|d<<21)^(d>>>25|d<<7))+(d&a^
~d&i)+ur[c]+t[c]|0,w=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=a,a=d,d=p+f|0,p=r,r=o,o=n,n=f+w|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=p,e[4]+=d,e[5]+=a,e[6]+=i,e[7]+=s}function jt(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new P(o+9+63&-64),p=0;for(let s of t)r.set(s,p),p+=s.length;r[p]=128;let d=new fe(r.buffer);d.setUint32(r.length-8,
(n+o)/2**29),d.setUint32(r.length-4,(n+o)*8);let a=e.slice(),i=new be(64);for(let s=0;s<r.length;s+=64){for(let c=0;c<16;c++)
i[c]=d.getUint32(s+c*4);sn(a,i)}return a}function Pt(e){let t=new P(32),n=new fe(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var no=e=>e.map(t=>typeof t=="string"?Y(t):t);function Ke(...e){return Pt(jt(eo,no(e),0))}function oo(e){let t=e.
length>64?Ke(e):e;return[54,92].map(n=>{let o=new be(64);for(let p=0;p<64;p++)o[p>>2]|=((t[p]||0)^n)<<24-p%4*8;let r=eo.
slice();return sn(r,o),r})}function an(e,...t){let[n,o]=oo(e);return Pt(jt(o,[Pt(jt(n,no(t),64))],64))}function ro(e,t,n,o){
let[r,p]=oo(Y(e)),d=new be(64),a=new be(8),i=f=>{d.set(a),d.fill(0,8,16),d[8]=2147483648,d[15]=768,a.set(f),sn(a,d)};a.set(
jt(r,[t,new P([0,0,0,1])],64)),i(p);let s=a.slice(),c=n-1;return new ye(f=>{let w=()=>{for(let g=1e4;g>0&&c>0;g--,c--){i(
r),i(p);for(let m=0;m<8;m++)s[m]^=a[m]}c>0?o(w):f(Pt(s))};w()})}function pr(){let e=new be(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function Lt(e){let t=-1;for(let n=0;n<e.length;n++)t=fr[(t^
e[n])&255]^t>>>8;return~t>>>0}function Ze(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}var cn=1,hr=1e6;function so(e,{address:t,projectId:n,resuming:o,secret:r,auth:p,onWelcome:d,onFrame:a,onEnd:i}){let s=e.
random(16),c="dial",f=null,w=e.connect(t,{projectId:n});w.onopen=()=>{c==="dial"&&(c="hello",j(S.hello,{minVersion:cn,maxVersion:cn,
nonce:s,project:Ke("conch.session.1 client",s,n)}))},w.onmessage=T=>{if(c!=="ended")try{if(typeof T=="string")throw new I(
"a text message");if(T.byteLength>Bn)throw new I("message too long");for(let L of vn(new P(T)))g(L)}catch(L){e.log.debug(
`the host broke the protocol: ${L}`),U(c==="live"?"protocol_error":"not_a_host")}},w.onclose=(T,L)=>x({code:T,reason:L,text:""});
function g(T){if(c!=="ended")if(c==="live")T.type===S.bye?x({code:0,bye:T.code,text:T.text}):a(T);else if(T.type===S.reject)
x({code:4003,reject:T.code,text:T.text,retryAfter:T.retryAfterMillis});else if(T.type===S.challenge&&c==="hello")m(T);else if(T.
type===S.welcome&&c==="auth")C(T);else throw new I(`frame ${T.type} while joining`)}function m({version:T,nonce:L,project:D,
need:q,salt:ne,iterations:G}){if(!Ze(D,Ke("conch.session.1 host",s,L,n)))return U("not_a_host");if(T!==cn)return U("prot\
ocol_version");if(q>2||G>hr)return U("not_a_host");if(c="auth",q===0||o)return b(new P(0));let Q=r(q);if(Q===null)return U(
q===1?"bad_password":"bad_code");ro(Q,ne,G,K=>e.setTimeout(K,0)).then(K=>{c==="auth"&&(f=an(K,"conch.session.1 welcome",
s,L,n),b(an(K,"conch.session.1 join",s,L,n)))})}function b(T){j(S.auth,{...p(),proof:T})}function C(T){if(f&&!Ze(T.proof,
f)||T.resumed!==o)return U("not_a_host");c="live",d(T)}function U(T){c==="live"&&j(S.bye,{code:"protocol_error",text:""}),
x({code:0,fault:T,text:""},4002,T)}function x(T,L=4e3,D="left"){if(c==="ended")return;let q=c;c="ended",w.close(L,D),i({
stage:q,...T})}function j(T,L){N(Je(T,L))}function N(T){c!=="ended"&&w.send(T)}return{send:j,write:N,get live(){return c===
"live"},get opened(){return c!=="dial"},close(T,L){c==="live"&&j(S.bye,{code:L,text:""}),c!=="ended"&&w.close(T,L),c="en\
ded"}}}function Nt({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:p,change:d}){let a=io(o),i=io(r);function s(){
if(!d)throw new te("only the session host spawns, despawns and gives objects away");return d}return O.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return a},get objects(){return i},spawn:(c,f,w)=>s().spawn(
c,f,w),despawn:c=>s().despawn(c),setOwner:(c,f)=>s().setOwner(c,f),onRpc:(c,f,w)=>p(c,f,!!(w&&w.anyone)),sceneLoader:void 0})}
var wr=["get","has","keys","values","entries"];function io(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of wr)t[n]=o=>e[n](o);return O.freeze(t)}var gr=16,ao=4,co=2,lo=250,uo=2e3,fo=.05;function po(){let e=[],t=!1,n=0,o=0,r=0,p=fo,d=0;function a(s){let c=J(0,(s-o)*
p);return n+ee(J(r-n,-c),c)}function i(s,c){n=t?a(c):s,t=!0,o=c,p=fo,r=s;let f=s-n;return _n(f)<co?r=n:f>lo||f<-uo?n=s:f<
-lo&&(p=.5),f>=-uo?!1:(d=0,!0)}return{get synced(){return t},start(s,c){t||(r=n=s-c,o=c,t=!0)},sample(s,c,f,w){let g=w-s-
(f-c);if(s>w||c>f||g<0||e.length>=ao&&g>3*ln(e.map(b=>b.rtt))+co)return!1;e.push({offset:(c-s+(f-w))/2,rtt:g}),e.length>
gr&&e.shift();let m=[...e].sort((b,C)=>b.rtt-C.rtt).slice(0,ao);return i(ln(m.map(b=>b.offset)),w)},reset(){e=[]},get rtt(){
return e.length?ln(e.map(s=>s.rtt)):0},now(s){return d=J(d,s+a(s)),d}}}function ln(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var mr=8,ho=50,yr=5e3,wo=3e3;function Bt(e,{ping:t,silent:n}){let o=po(),r=new W,p=0,d=0,a=0,i=0,s=2e3,c=1e4,f=!1,w=0,g=0;
function m(){let x=Ve(e.now()*1e3);r.size>64&&r.clear(),r.set(++p,x),t(p,x)}function b(){e.clearTimeout(g);let x=mr,j=()=>{
f&&m(),--x>0&&(g=e.setTimeout(j,ho))};j()}function C(){d=ee(d,e.now()-c+wo),r.clear(),o.reset(),b(),U(wo+ho)}function U(x){
e.clearTimeout(w),a=e.now(),i=e.wall();let j=x;w=e.setTimeout(()=>{if(J(e.now()-a,e.wall()-i)>j+yr)return C();if(e.now()-
d>c)return n();m(),U(s)},x)}return{clock:o,start({pingMillis:x,timeoutMillis:j},N){s=J(250,ee(x,6e4)),c=J(2e3,ee(j,6e5)),
f=!0,d=e.now(),o.start(N/1e3,d),r.clear(),o.reset(),b(),U(s)},stop(){f=!1,e.clearTimeout(w),e.clearTimeout(g)},hear(){d=
e.now()},pong({seq:x,t0:j,t1:N,t2:T}){let L=r.get(x);L===void 0||L!==j||(r.delete(x),o.sample(L/1e3,N/1e3,T/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){f&&C()}}}var br=.95,go=.9;function mo(e,t){let n=[],o=null,r=0,p=0;function d(){let i=e.now();for(let s of o||[])s.have=ee(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function a(){if(e.clearTimeout(p),!!o)for(d();n.length>0;){let{frame:i,isCall:s,sent:c}=n[0],
f=[1,i.length,s?1:0],w=0;if(o.forEach((g,m)=>{w=J(w,(ee(f[m],g.burst)-g.have)/g.rate)}),w>0){p=e.setTimeout(a,ee(w,1)*1e3+
1);return}o.forEach((g,m)=>{g.have-=f[m]}),n.shift(),t(i),c&&c()}}return{send(i){n.push(i),a()},cancel(i){let s=n.length;
return n=n.filter(c=>c!==i),n.length<s},start(i){let s=(c,f)=>({rate:J(c*br,.001),burst:J(f*go,1),have:J(f*go,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),a()},pause(){e.clearTimeout(p),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}var re=It,ke=e=>e*4+Ee,Qe=e=>e*4+F,ue=e=>(e-e%4)/4;function et(e,t,n,o,r){let p="",d={target:t,typeName:n,owner:o,persistent:r,
fields:new W,view:{}},a={get uuid(){return p||(p=xr(e.sessionId,t))},get typeName(){return d.typeName},get:i=>_r(d,`${i}`),
set:(i,s)=>Sr(e,d,`${i}`,s),names:()=>[...d.fields.keys()]};return t%4===F&&O.defineProperties(a,{netObjectId:{value:ue(
t),enumerable:!0},owner:{get:()=>d.owner,enumerable:!0},persistent:{get:()=>d.persistent,enumerable:!0},isMine:{get:()=>d.
owner===e.localConnectionId,enumerable:!0}}),d.view=O.freeze(a),d}function bo(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(
".",n-1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):
[]}}return null}var _o=e=>typeof e=="object"&&e!==null&&!lt.isView(e);function _r(e,t){let n=bo(e,t);if(!n)return;let{value:o}=n;
for(let r of n.rest){if(!_o(o)||!O.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function Sr(e,t,n,o){if(!e.
writable)throw new te("only the session host changes state, while the session is active");let r=bo(t,n);if(!r||r.rest.length===
0)return yo(e,t,n,o);yo(e,t,r.name,So(r.value,r.rest,o))}function So(e,[t,...n],o){if(!_o(e))throw new M(`state: nothing\
 can be set at ${t}, its parent holds no list or object`);let r=Array.isArray(e);if(r&&!(ie(t)<=e.length))throw new M(`s\
tate: ${t} is no position of the list`);let p=r?[...e]:{...e},d=O.prototype.hasOwnProperty.call(p,t);return n.length>0&&
(o=So(d?p[t]:{},n,o)),o!==void 0?O.defineProperty(p,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?p.splice(ie(
t),1):delete p[t],p}function yo(e,t,n,o){let r=Y(n).length;if(r===0||r>128)throw new M("state: a name has 1 to 128 bytes");
if(o===void 0){t.fields.delete(n)&&e.changed(t,n,null);return}let p=pt(o),d=dt(p);t.fields.set(n,{key:0,raw:p,value:d}),
e.changed(t,n,p)}function xr(e,t){return un(Ke(`${e}
${t}`),128)}function un(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,fn(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function fn(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function To(e,t){let n=new W,o=new W,r=new W,p=new de,d=-1;function a(f,w,g,m){let b=et(e,f,w,g,m);return n.set(f,b),f%4===
F&&o.set(ue(f),b.view),f%4===Ee&&r.set(ue(f),b.view),b}function i(f){n.delete(f)&&(p.delete(f),f%4===Ee&&r.delete(ue(f)),
f%4===F&&o.delete(ue(f))&&t.removed(ue(f)))}function s(f,w){for(let{name:g,key:m,removed:b,raw:C,value:U}of w){let x=f.fields.
get(g);(b?x:!x||!Ze(x.raw,C))&&p.add(f.target),b?f.fields.delete(g):f.fields.set(g,{key:m,raw:C,value:U})}}function c(f){
let{target:w,class:g,owner:m,persistent:b,fields:C}=f,U=n.get(w);U&&U.typeName!==xo(w,g)&&(i(w),U=void 0);let x=!U;U||(U=
a(w,xo(w,g),m,b));let j=U.fields;U.fields=new W;for(let{name:N,key:T,raw:L,value:D}of C)U.fields.set(N,{key:T,raw:L,value:D});
(x||U.owner!==m||!Tr(j,U.fields))&&p.add(w),U.owner=m,U.persistent=b,!(!x||w%4!==F)&&(p.delete(w),t.appeared(ue(w)))}return a(
re,"GameState",0,!1),{objects:o,players:r,get seq(){return d},get gameState(){return n.get(re)?.view},playerState:f=>n.get(
ke(f))?.view,snapshot(f,w){let g=new de([re]);c({target:re,class:"",owner:0,persistent:!1,fields:[],...w.find(m=>m.target===
re)});for(let{target:m}of w)g.add(m);for(let m of[...n.keys()])g.has(m)||i(m);for(let m of w)m.target!==re&&c(m);d=f},delta({
prev:f,seq:w,changes:g}){if(f!==d)return!1;for(let{target:m,fields:b}of g){let C=n.get(m)||(m%4===Ee?a(m,"PlayerState",0,
!1):void 0);C&&s(C,b)}return d=w,!0},spawn(f){i(f.target),c(f)},despawn:i,setOwner(f,w){let g=n.get(f);!g||g.owner===w||
(g.owner=w,p.add(f))},dropObjects(f){for(let w of[...n.values()])w.target%4===F&&!(f&&w.persistent)&&i(w.target)},checksum(){
let f=[...n.values()].sort((w,g)=>w.target-g.target).map(w=>({target:w.target,class:w.typeName,owner:w.owner,persistent:w.
persistent,fields:[...w.fields.values()].sort((g,m)=>g.key-m.key).map(({key:g,raw:m})=>({name:g,removed:!1,raw:m,value:null}))}));
return Lt(Fn(f))},takeChanged(){let f=[...p];return p.clear(),f}}}function xo(e,t){return e%4===F?t:e%4===Ee?"PlayerStat\
e":"GameState"}function Tr(e,t){if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||!Ze(o,r.raw))return!1}
return!0}var Ar=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function Oe(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function Re(e,t){let n=Y(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return _e(n.subarray(0,o))}function Dt(e){return[...Oe(`${e}`)].slice(0,32).join("")}function Ht(e,t){
let n=Oe(t);return n?`${e}: ${n}`:e}function Eo({stage:e,code:t,bye:n,reject:o,fault:r,text:p}){return o==="build_mismat\
ch"?Ht(o,p):o?Ar.includes(o)?o:Ht("refused",p):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?Ht("refused",
p):e==="hello"?"not_a_host":"unreachable")}var Ao={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function dn(e,t){let n=O.prototype.hasOwnProperty.call(Ao,e)?Ao[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?Ht(n,t):n}function vt(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}function ko(e,{projectId:t,sessionId:n},o){let r=1,p=()=>`conch.session ${t} ${o.text} ${r}`;for(;e.places.has(p());)r++;
let d=p();e.places.add(d);let a=null;try{let i=ve.parse(e.storage?.getItem(d)||"");(!n||n===i.session)&&/^[0-9a-f]{32}$/.
test(i.token)&&(a=new P(16).map((c,f)=>parseInt(i.token.slice(f*2,f*2+2),16)))}catch{}return{get token(){return a},keep(i,s){
a=i;try{e.storage?.setItem(d,ve.stringify({token:fn(i),session:s}))}catch{}},forget(){a=null;try{e.storage?.removeItem(d)}catch{}},
leave(){e.places.delete(d)}}}function Er(e){return un(e.random(16),64)}function $e(e,{uuid:t,name:n,tid:o},r){let p=r&&typeof r.instanceId=="string"?
r.instanceId:Er(e);return O.freeze({...r,instanceId:p,scene:O.freeze({uuid:t,name:n}),transitionId:o})}function Oo(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new M("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var kr=5e3,Ro=[0,250,500,1e3,2e3],Or=[1001,1005,1006,4005,4010],Rr=["launcher","browser"];function $o(e,{mail:t,emit:n,finished:o},r,p){
let{projectId:d}=r,a=ko(e,r,p),i=0,s="",c="player",f={},w=!1,g=!1,m=!1,b=!1,C=null,U=0,x=!1,j=0,N=0,T=0,L=[],D=null,q=!1,
ne=!0,G=Bt(e,{ping:(l,y)=>C?.send(S.ping,{seq:l,t0:y}),silent:()=>{x=!0,C?.close(4005,"timeout"),Ne()}}),Q=mo(e,l=>C?.write(
l)),K=Mt({log:e.log,now:e.now,later:l=>t.post(l,"always")}),rt={get sessionId(){return s},get localConnectionId(){return i},
writable:!1,changed(){}},oe=new de,v=To(rt,{appeared(l){g&&yt()?X("onClientObjectReplicated",l):oe.add(l)},removed(l){oe.
delete(l)||X("onClientObjectRemoved",l)}}),Z=Nt({ids:()=>({sessionId:s,projectId:d,buildHash:r.buildHash}),gameState:()=>v.
gameState,playerState:()=>v.playerState(i),playerStates:v.players,objects:v.objects,onRpc:K.handle,change:null}),B={tid:0,
name:"",uuid:"",loaded:null,reported:!1,failure:"",asked:!1,active:!1},Ie=null,mt=0;function yt(){return B.tid===0||B.loaded!==
null}function X(l,...y){b||n(l,...y)}function Ce(){g=!0,X("onSessionStarted"),v.takeChanged(),X("onClientGameStateReplic\
ated",v.gameState),v.playerState(i)&&X("onClientPlayerStateReplicated",v.playerState(i)),st()}function st(){if(!g||!yt())
return;let l=[...oe];oe.clear();for(let y of l)X("onClientObjectReplicated",y)}function Ue({transition:l,uuid:y,name:A,seamless:k}){
if(l<B.tid)return;if(l===B.tid)return B.reported?it():void 0;v.dropObjects(k),B={tid:l,name:A,uuid:y,loaded:null,reported:!1,
failure:"",asked:!1,active:!1};let E=B;X("onClientSceneLoadRequested",y,A,k,l);let{sceneLoader:$}=Z;typeof $!="function"||
b||new ye(V=>V($({uuid:y,name:A},k))).then(V=>xe({...$e(e,E,V),transitionId:l},!0,""),V=>{e.log.error(`the scene ${A} co\
uld not be loaded:`,V),xe({transitionId:l},!1,V instanceof te?V.message:"the scene could not be loaded")})}function xe(l,y,A){
let k=l&&l.transitionId;B.tid===0&&e.log.note("notifyClientSceneLoaded: the host has not asked for a scene"),!(b||k!==B.
tid||B.reported)&&(B.reported=!0,y?B.loaded=$e(e,B,l):B.failure=Re(`${A}`||"the scene could not be loaded",512),y&&(mt=k),
it(),y&&B.asked&&t.post(bt))}function it(){let l=Je(S.loaded,{transition:B.tid,ok:B.failure==="",text:B.failure});Q.send(
{frame:l,isCall:!1})}function bt(){B.active||!B.loaded||(B.active=!0,Ie=B.loaded,st(),X("onClientSceneActivate",B.tid))}
function _t({transition:l}){l===B.tid&&(B.asked=!0,bt())}function Me(){ne||!C||(ne=!0,Q.send({frame:Je(S.resync,{seq:J(v.
seq,0)}),isCall:!1}))}function St({name:l,args:y,from:A,object:k},E){if(k!==0&&!v.objects.has(k))return E("no_object");K.
run(l,y,A,k,E)}function je(l){e.clearTimeout(T),w&&(e.clearTimeout(N),N=e.setTimeout(()=>{C?.close(4005,"timeout"),Te()},
J(1e3,ee(kr,Be()))));try{C=xt(l)}catch(y){w?Te():u("unreachable",y instanceof te?y.message:"")}}function xt(l){return so(
e,{address:p,projectId:d,resuming:l,secret:y=>y===1?r.password===void 0?null:r.password:r.joinCode||vt(p.code)||null,auth:()=>({
build:r.buildHash,session:r.sessionId,name:r.playerName,kind:Rr.indexOf(e.kind),spectator:r.asSpectator,userData:r.userData,
resume:l&&a.token?a.token:new P(0),loaded:mt}),onWelcome:Pe,onFrame:Tt,onEnd:y=>At(y,l)})}function Pe(l){if(w&&l.id!==i)
throw new I("another seat");if(l.id<2)throw new I("a seat that no client has");e.clearTimeout(N),i=l.id,s=l.session,c=l.
role===1?"spectator":"player",f=l.limits,L=[],D=null,q=!1,ne=!0,a.keep(l.token,s),Q.start(f),G.start(f,l.hostMicros),w?(j=
0,x=!1,t.post(()=>{K.endLost(),X("onClientConnectionResumed")})):N=e.setTimeout(()=>u("timeout","the host sent no state"),
r.timeoutMs)}function Tt(l){if(G.hear(),t.flooded)throw new I("more than anybody can read");switch(l.type){case S.ping:{
let y=Ve(e.now()*1e3);return C?.send(S.pong,{seq:l.seq,t0:l.t0,t1:y,t2:y})}case S.pong:return G.pong(l);case S.load:return t.
post(()=>Ue(l));case S.activate:return t.post(()=>_t(l));case S.result:{let y=e.now();return t.post(()=>K.settle(l.call,
1,gt[l.status]||"unknown",l.value,y),"keep",l.weight)}case S.rpc:return at(l);case S.relayed:{t.full||t.post(()=>St(l,()=>{}),
"call",l.weight);return}default:return ct(l)}}function at(l){let y=C,A=(k,E=new P(0))=>{l.call===0||!y||!y.live||y!==C||
y.send(S.result,{call:l.call,status:gt.indexOf(k),value:E})};if(t.full)return A("queue_full");t.post(()=>St({...l,from:1},
A),"call",l.weight)}function ct(l){switch(l.type){case S.names:if(l.base!==L.length)throw new I("a gap in the table of n\
ames");L.push(...l.names);return;case S.snapBegin:D={seq:l.seq,size:l.size,got:0,parts:[]};return;case S.snapPart:if(!D||
(D.got+=l.data.length)>D.size)throw new I("a part too much");D.parts.push(l.data);return;case S.snapEnd:return Ft(l.crc);case S.
delta:{let y=l.changes.map(E=>({target:E.target,fields:Le(E.fields)})),{prev:A,seq:k}=l;return we(l.weight,()=>{v.delta(
{prev:A,seq:k,changes:y})||Me()})}case S.spawn:{let y={...l.entity,fields:Le(l.entity.fields)};return we(l.weight,()=>v.
spawn(y))}case S.despawn:return we(l.weight,()=>v.despawn(l.target));case S.owner:return we(l.weight,()=>v.setOwner(l.object*
4+F,l.owner));case S.check:return we(l.weight,()=>{!ne&&(v.seq!==l.seq||v.checksum()!==l.crc)&&Me()});default:throw new I(
`a host does not send frame ${l.type}`)}}function Le(l){return l.map(({name:y,removed:A,raw:k,value:E})=>{let $=L[y];if($===
void 0)throw new I("a name that is not in the table");return{name:$,key:y,removed:A,raw:k,value:E}})}function Ft(l){if(!D)
throw new I("the end of no snapshot");let{seq:y,size:A,got:k,parts:E}=D;D=null;let $=new P(A),V=0;for(let z of E)$.set(z,
V),V+=z.length;if(k!==A||Lt($)!==l)throw new I("a damaged snapshot");let se=zn($).map(z=>({...z,fields:Le(z.fields)}));we(
A,()=>{ne=!1,v.snapshot(y,se),g?st():Ce()}),!(w||q)&&(w=!0,e.clearTimeout(N))}function we(l,y){t.full&&!q&&(t.dropState(),
q=!0),q||t.post(y,"state",l)}function At(l,y){if(m)return;let{code:A,bye:k,reject:E,fault:$}=l;if(!w)return y&&E==="bad_\
token"?(a.forget(),je(!1)):u(Eo(l),l.text);if(E)return E==="bad_token"||E==="host_stopping"?u(dn(E,"")):Te();if(!($?l.stage!==
"live":k?k==="timeout"||k==="slow_consumer":Or.includes(A)))return u(dn(k||$||A,l.text));l.stage==="live"?Ne():Te()}function Ne(){
if(G.stop(),Q.pause(),!w)return u("unreachable");C=null,U=e.now(),K.linkLost(),t.post(()=>X("onClientConnectionLost")),j=
0,Te()}function Be(){return U+J(1e3,ee(f.resumeMillis,6e5))-e.now()}function Te(){C=null,e.clearTimeout(N),e.clearTimeout(
T);let l=Be();if(l<=0)return u(x?"host_not_responding":"connection_lost");let y=Ro[ee(j++,Ro.length-1)];T=e.setTimeout(()=>je(
!0),ee(y,l))}let He=e.onWake(()=>{m||(C&&C.live?G.wake():w&&!C&&(j=0,je(!0)))});function u(l,y=""){m||(m=!0,He(),G.stop(),
Q.stop(),e.clearTimeout(N),e.clearTimeout(T),C?.close(4e3,"left"),C=null,w&&a.forget(),a.leave(),t.post(()=>{b=!0,g=!1,K.
failAll(l),o(y?`${l}: ${Oe(y)}`:l),n(w?"onSessionStopped":"onClientJoinFailed",l)},"always"))}return N=e.setTimeout(()=>u(
"timeout"),r.timeoutMs),je(a.token!==null),{mode:"client",isAuthority:!1,hostPort:0,peers:[],get isSessionActive(){return g&&
!b},get localConnectionId(){return g&&!b?i:0},get localRole(){return g&&!b?c:"none"},get sessionId(){return g&&!b?s:""},
get activeScene(){return Ie},get context(){return g&&!b?Z:null},serverTime:()=>g&&G.clock.synced?G.clock.now(e.now()):e.
wall(),stop(){t.discard(),u(w?"local_stop":"cancelled"),g=!1,b=!0},update(){if(!b){K.expire();for(let l of v.takeChanged())
l===re?X("onClientGameStateReplicated",v.gameState):l===ke(i)?X("onClientPlayerStateReplicated",v.playerState(i)):l%4===
F&&!oe.has(ue(l))&&X("onClientObjectReplicated",ue(l));!q||!C||(q=!1,ne=!1,Me())}},notifyClientSceneLoaded:xe,sendRpcToHost(l,y,A){
let k={name:Ye(l),object:y,args:ae(A)};if(m||!g)return h("not_connected");if(k.args.length>f.args)return _("too_large");
if(K.inFlight>=f.callsInFlight)return _("queue_full");let E={frame:k.args,isCall:!0,sent:()=>{$.sent=!0}},$=K.open([1],!1,
()=>Q.cancel(E));return E.frame=Je(S.rpc,{call:$.id,...k}),Q.send(E),$.operation.op}};function h(l){let y=Se({log:e.log,
later:A=>t.post(A,"always")});return t.post(()=>y.fail(l),"always"),y.op}function _(l){let y=K.open([1],!1,()=>!1);return t.
post(()=>K.settle(y.id,1,l),"always"),y.operation.op}}function Io(e,t){let n=new W;function o(r,p){if(typeof r!="function")throw new M(`${e}: a listener is a function`);return n.
has(r)||n.set(r,p),()=>{n.delete(r)}}return{event:O.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[p,d]of[...n])if(n.has(p)){d&&n.delete(p);try{p(...r)}catch(a){t.
error(`${e}: a listener threw:`,a)}}}}}var $r=O.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new P(0),stats:O.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),Co=()=>$r;function tt(e){return O.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:Dt(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:O.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var ce=1,Uo={size:32<<20,nesting:20,elements:1<<17},Ir=500,Cr=2e3;function jo(e,{mail:t,emit:n,finished:o,approval:r},p,d,a){
let{sessionId:i}=p,s=!0,c=!1,f=!1,w=e.now(),g=0,m=new W,b=new W,C=new W,U=new de,x=new W,j=null,N=new W,T=[],L=0,D={tid:0,
uuid:"",name:"",instance:null},q=null,ne=null,G=Mt({log:e.log,now:e.now,later:u=>t.post(u,"always")}),Q=Bt(e,{ping:(u,h)=>Z(
"ping",u,h),silent(){}});Q.clock.start(d.hostMicros/1e3,e.now());let K=e.onWake(()=>{Q.wake(),xe()}),rt={sessionId:i,localConnectionId:ce,
get writable(){return s},changed:(u,h,_)=>{m.get(u.target)===u&&Z("set",u.target,h,_)}},oe=[],v=!1;a.onopen=()=>{v=!0,Q.
start({pingMillis:1e4,timeoutMillis:6e5},d.hostMicros),Ie()},a.onclose=()=>He(c?"local_stop":"connection_lost"),a.onmessage=
u=>{let h;try{h=dt(new P(u),Uo)}catch(_){return e.log.error("the launcher sent something else than events:",_),He("proto\
col_error")}for(let[_,...l]of h)mt(_,l);e.now()-w>Ir&&xe()};function Z(...u){B(u)}function B(u){!f&&oe.push(u)===1&&ye.resolve().
then(Ie)}function Ie(){if(!v||f||oe.length===0)return;let u=oe;oe=[],a.send(pt(u,Uo))}function mt(u,h){let[_,...l]=h;if(!(c&&
u!=="stopped"))switch(u){case"pong":return Q.pong({seq:h[0],t0:h[1],t1:h[2],t2:h[3]});case"approve":{T.push(()=>bt(_,l[0]));
return}case"forget":return it(_);case"stopped":return He(c?"local_stop":`${_}`);case"call":{let[y,A,k,E,$]=l,V=(se,z=new P(
0))=>{$&&Z("reply",_,se,z)};return t.full?V("queue_full"):t.post(()=>At(y,A,k,E,V),"call",E.length)}default:{let y=yt[u];
y&&t.post(()=>y(...h))}}}let yt={state:st,peers:u=>{for(let h of u)x.has(h.id)&&x.set(h.id,tt(h))},connected(u,h){x.set(
u.id,tt(u)),Ue(_t(u.id),h),X("onHostPeerConnected",x.get(u.id)),Z("ready",u.id)},disconnected(u,h){j=tt({...u,state:"gon\
e"}),x.delete(u.id);for(let _ of[...m.values()])_.target%4===F&&_.owner===u.id&&St(_);X("onHostPeerDisconnected",u.id,h),
j=null,C.delete(u.id),m.delete(ke(u.id))},dropped:u=>Ce("onHostPeerDropped",u),resumed:u=>Ce("onHostPeerResumed",u),load:Ft,
sceneLoaded:u=>Ce("onHostPeerSceneLoadComplete",u),activated(u,h){we(h),Ce("onHostPeerActivatedInScene",u)},complete(u){
we(u),X("onHostSceneTransitionComplete",u)},aborted:(u,h)=>X("onHostTransitionAborted",u,h),result:(u,h,_,l)=>G.settle(u,
h,gt.includes(_)?_:"unknown",l),failed:(u,h)=>G.fail(u,`${h}`)};function X(u,...h){c||n(u,...h)}function Ce(u,h){x.has(h.
id)&&(x.set(h.id,tt(h)),X(u,h.id))}function st(u){for(let[h,_,l,y,A,k]of u.entities)h%4!==F?Ue(h===re?ct:_t(h>>2),_):m.has(
h)||Ue(Me(h,l,y,A,k),_);if(u.scene){let[h,_,l]=u.scene;D={tid:h,uuid:_,name:l,instance:null},q=$e(e,D,null)}for(let h of u.
peers)x.set(h.id,tt(h));X("onSessionStarted");for(let{id:h}of u.peers)x.has(h)&&X("onHostPeerConnected",x.get(h))}function Ue(u,h){
for(let[_,l]of h)u.fields.has(_)||u.fields.set(_,{key:0,raw:l,value:dt(l)})}function xe(){let u=T;T=[];for(let h of u)h()}
function it(u){let h=N.get(u);N.delete(u),h&&h.abort()}function bt(u,h){let _=new hn;N.set(u,_);let l=E=>{let $=E!==null&&
typeof E=="object"?E:{approved:E},V=$.playerState?Mo($.playerState):[],se=$.role==="spectator"||$.role==="player"?$.role:
"",z=Re(`${$.reason||""}`,512);N.delete(u)&&Z("decide",u,$.approved===!0,z,se,V)},y=E=>{e.log.error("connectionApprovalC\
allback threw:",E),N.delete(u)&&Z("decide",u,null,"","",[])},A=r();if(typeof A!="function")return l(!0);let k=O.freeze({
projectId:p.projectId,buildHash:h.build,sessionId:i,playerName:h.name,asSpectator:h.spectator,userData:h.userData,provisionalConnectionId:u,
remoteAddress:h.address,clientKind:h.kind,buildMatches:h.buildMatches,signal:_.signal});try{let E=A(k);E&&typeof E.then==
"function"?E.then(l).then(void 0,y):l(E)}catch(E){y(E)}}function _t(u){let h=ke(u),_=m.get(h)||et(rt,h,"PlayerState",0,!1);
return m.set(h,_),C.set(u,_.view),_}function Me(u,h,_,l,y){let A=et(rt,u,h,_,l),k=(u-F)/4;return m.set(u,A),b.set(k,A.view),
y&&U.add(k),k>g&&(g=k),A}function St(u){let h=(u.target-F)/4;if(U.has(h))return at.despawn(h);u.owner=ce,Z("owner",h,ce)}
function je(u){for(let h of[...m.values()])h.target%4===F&&!(u&&h.persistent)&&xt(h.target)}function xt(u){let h=(u-F)/4;
return U.delete(h),b.delete(h),m.delete(u)}function Pe(){if(!s)throw new te("the session is over")}function Tt(u){if(u===
void 0||u===0||u===ce||x.has(u))return u||0;throw new M(`no peer ${u} in the session`)}let at={spawn(u,h,_){Pe();let l=typeof u==
"string"?Y(u).length:0;if(l===0||l>128)throw new M("spawn: the type of an object is a text of 1 to 128 bytes");let{owner:y,
persistent:A=!1,despawnWithOwner:k=!1}=_||{},E=Tt(y),$=Mo(h||{}),V=g+1,se=Me(Qe(V),u,E,!!A,!!k);return Ue(se,$),Z("spawn",
V,u,E,se.persistent,U.has(V),$),se.view},despawn(u){Pe(),xt(Qe(u))&&Z("despawn",u)},setOwner(u,h){Pe();let _=m.get(Qe(u));
if(!_)throw new M(`no object ${u} in the session`);_.owner=Tt(h),Z("owner",u,_.owner)}},ct=et(rt,re,"GameState",0,!1);m.
set(re,ct);let Le=Nt({ids:()=>p,gameState:()=>ct.view,playerState:()=>C.get(ce),playerStates:C,objects:b,onRpc:G.handle,
change:at});function Ft(u,h,_,l){if(L>0)L--;else{for(let $ of[...b.keys()])at.despawn($);q=null}D={tid:u,uuid:h,name:_,instance:null};
let y=D,A=ne&&ne.uuid===h?ne:{uuid:h,name:_},{sceneLoader:k}=Le;(async()=>{let $=typeof A.load=="function"&&!A.loaded&&await A.
load()||A;return typeof k=="function"?k($,l):null})().then($=>{D===y&&(y.instance=$e(e,y,$),Z("loaded",u,!0,""))},$=>{e.
log.error(`the scene ${_} could not be loaded:`,$),Z("loaded",u,!1,Re($ instanceof te?$.message:`${$}`,512))})}function we(u){
D.tid===u&&(!q||q.transitionId!==u)&&(q=D.instance||$e(e,D,null))}function At(u,h,_,l,y){let A=_===0?null:m.get(Qe(_));if(A===
void 0)return y("no_object");if(A&&u!==ce&&A.owner!==u&&G.handlers.has(h)&&!G.handlers.get(h)?.anyone)return y("not_owne\
r");G.run(h,l,u,_,y)}function Ne(u,h,_,l,y){let A=Ye(u),k=ae(_).slice();if(!s)return Be(z=>z.fail("not_connected"));if(l.
length===0)return Be(z=>z.succeed([]));let E=["call",0,A,h,k,[]],$=G.open(l,y,()=>l.includes(ce)||!oe.includes(E)?!1:(oe=
oe.filter(z=>z!==E),!0)),V=(z,qt)=>t.post(()=>G.settle($.id,z,qt));E[1]=$.id;let se=E[5];for(let z of l)k.length>d.maxArgs?
V(z,"too_large"):z===ce?t.post(()=>At(ce,A,h,k,(qt,Do)=>t.post(()=>G.settle($.id,ce,qt,Do)))):x.has(z)?h!==0&&!b.has(h)?
V(z,"no_object"):se.push(z):V(z,"peer_gone");return se.length>0&&B(E),$.operation.op}function Be(u){let h=Se({log:e.log,
later:_=>t.post(_,"always")});return t.post(()=>u(h),"always"),h.op}function Te(){c||f||(Z("stop"),Ie(),c=!0,s=!1,t.discard(),
e.setTimeout(()=>He("local_stop"),Cr))}function He(u){if(!f){f=!0,s=!1,K(),Q.stop(),a.close(1e3,"");for(let h of[...N.keys()])
it(h);T=[],t.post(()=>{c=!1,G.failAll(u);for(let[h,_]of[...x].sort(([l],[y])=>l-y))j=O.freeze({..._,state:"gone"}),x.delete(
h),n("onHostPeerDisconnected",h,"host_stopped");j=null,o(u),n("onSessionStopped",u)},"always")}}return{get mode(){return d.
dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){return s?d.port:0},get joinCode(){return s?d.joinCode:""},get isSessionActive(){
return s},get localConnectionId(){return s?ce:0},localRole:"authority",get sessionId(){return s?i:""},get peers(){return[
...x.values()].sort((u,h)=>u.connectionId-h.connectionId)},get activeScene(){return q},get context(){return s?Le:null},serverTime:()=>Q.
clock.now(e.now()),peer:u=>x.get(u)||(j&&j.connectionId===u?j:void 0),stop:Te,beforeUpdate(){w=e.now(),xe()},update(){},
disconnectPeer(u,h){if(u===ce)throw new M("disconnectPeer: the host leaves by stop()");s&&x.has(u)?Z("kick",u,Re(`${h===
void 0?"":h}`,512)):e.log.debug(`disconnectPeer: no peer ${u}`)},hostLoadScene(u,h){let{uuid:_,name:l}=Oo(u);Pe(),je(h),
h||(q=null),ne=u,L++,Z("scene",_,Re(l,128),h)},sendRpcToConnection:(u,h,_,l)=>Ne(u,h,_,[l],!1),sendRpcMulticast:(u,h,_,l)=>Ne(
u,h,_,[...new de(l)],!0),sendRpcToOwner(u,h,_){let l=m.get(Qe(h));return!l||l.owner===0?(Ye(u),Be(y=>y.fail(l?"no_owner":
"no_object"))):Ne(u,h,_,[l.owner],!1)}}}function Mo(e){let t=typeof e.names=="function"&&typeof e.get=="function",n=t?e.
names():O.keys(e),o=[];for(let r of n){if(Y(r).length>128||r==="")throw new M("state: a name has 1 to 128 bytes");o.push(
[r,pt(t?e.get(r):e[r])])}return o}function Po(){let e=[],t=0,n=0,o=0;function r(p){e=e.slice(t).filter(d=>p(d.kind)),t=0,n=0;for(let d of e)n+=d.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(p,d="keep",a=0){e.push({kind:d,
bytes:a,order:++o,run:p}),n+=a},dropState:()=>r(p=>p!=="state"),discard:()=>r(p=>p==="always"),drain(){let p=o;for(;t<e.
length&&e[t].order<=p;){let d=e[t++];n-=d.bytes,d.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var Ur=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],pn={mode:"none",isAuthority:!1,hostPort:0,joinCode:"",isSessionActive:!1,localConnectionId:0,localRole:"none",
sessionId:"",peers:[],activeScene:null,context:null};function No(e,t){let n=new mn,o=d=>{let a=n.get(d);if(!a)throw new M(
"not a NetSessionManager");return a};class r{constructor(){let a=Po(),i={},s={role:null,lastError:"",approval:null,mail:a,
updating:!1,hooks:{mail:a,emit:(c,...f)=>i[c](...f),finished(c){s.lastError=c,s.role=null},approval:()=>s.approval}};n.set(
this,s);for(let c of Ur){let{event:f,emit:w}=Io(c,e.log);i[c]=w,me(this,c,{value:f,enumerable:!0})}}get peerCount(){return(o(
this).role||pn).peers.length}get serverTimeEpochMs(){let{role:a}=o(this);return a?a.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(a){if(a!=
null&&typeof a!="function")throw new M("connectionApprovalCallback is a function or null");o(this).approval=a||null}startHost(a,i,s,c,f={}){
let w=o(this),g={projectId:ot("projectId",a),sessionId:ot("sessionId",i),buildHash:ot("buildHash",s),port:c==null?null:Mr(
c),...jr(f)};if(w.role)return nt(w,"a session is active already");if(!e.host)return nt(w,"only a game that runs in Conch\
 can host a session");let m=e.host.start(g);return m.ok?(w.lastError="",w.role=jo(e,w.hooks,g,m,e.host.link(m.link)),!0):
nt(w,Oe(`${m.error}`))}joinSession(a,i){let s=o(this),c=Pr(a);if(s.role)return nt(s,"a session is active already");let f=Kn(
i);return f?t.local&&!Zn(f,t.allowedHosts)?nt(s,`${f.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=$o(e,s.hooks,c,f),!0):nt(s,`'${Oe(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${rn}`)}stop(){let{role:a}=o(this);a&&a.stop()}update(a){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(a){let{role:i}=o(this);return i&&i.peer&&i.peer(a)||Co()}disconnectPeer(a,i){Lo(o(this),"disco\
nnectPeer").disconnectPeer(a,i)}hostLoadScene(a,i=!1){Lo(o(this),"hostLoadScene").hostLoadScene(a,!!i)}notifyClientSceneLoaded(a,i=!0,s=""){
let{role:c}=o(this);if(!c||!c.notifyClientSceneLoaded)throw new te("notifyClientSceneLoaded: only a client of a session \
calls it");c.notifyClientSceneLoaded(a,!!i,s)}sendRpcToHost(a,i,s){return p(o(this),"sendRpcToHost","not_client",[a,Vt(i),
s])}sendRpcToConnection(a,i,s,c){return p(o(this),"sendRpcToConnection","not_host",[a,Vt(i),s,zt(c,"connectionId")])}sendRpcToOwner(a,i,s){
return p(o(this),"sendRpcToOwner","not_host",[a,Vt(i),s])}sendRpcMulticast(a,i,s,c){if(!Array.isArray(c))throw new M("se\
ndRpcMulticast: connectionIds is a list");let f=c.map(w=>zt(w,"a connection id"));return p(o(this),"sendRpcMulticast","n\
ot_host",[a,Vt(i),s,f])}}for(let d of O.keys(pn))me(r.prototype,d,{get(){let a=o(this).role||pn;return d==="joinCode"?a.
joinCode||"":d==="peers"?[...a.peers]:a[d]},configurable:!0});return me(r,"name",{value:"NetSessionManager",configurable:!0}),
r;function p(d,a,i,s){if(ae(s[2]),d.role&&d.role[a])return d.role[a](...s);let c=Se({log:e.log,later:f=>d.mail.post(f,"a\
lways")});return d.mail.post(()=>c.fail(d.role?i:"not_connected"),"always"),c.op}}function nt(e,t){return e.lastError=t,
!1}function Lo(e,t){if(!e.role||!e.role.isAuthority)throw new te(`${t}: only the session host calls it`);return e.role}function ot(e,t){
if(typeof t=="string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new M(`${e} has 1 to 128 of the characters A-Z\
 a-z 0-9 . _ : + -`)}function zt(e,t){if(ie.isSafeInteger(e)&&e>=0)return e;throw new M(`${t} is a whole number, not ${e}`)}
function Vt(e){return zt(e,"the id of an object")}function Mr(e){if(ie.isInteger(e)&&e>=0&&e<=65535)return e;throw new M(
`startHost: the port is a whole number from 0 to 65535, not ${e}`)}function jr({password:e,open:t,maxPeers:n,anyBuild:o}){
let r={};return e!==void 0&&(r.password=`${e}`),t!==void 0&&(r.open=!!t),n!==void 0&&(r.maxPeers=zt(n,"maxPeers")),o!==void 0&&
(r.anyBuild=!!o),r}function Pr(e){if(e===null||typeof e!="object")throw new M("joinSession: the request is an object wit\
h projectId and buildHash");let{projectId:t,buildHash:n,sessionId:o,playerName:r="",password:p,joinCode:d="",asSpectator:a,
userData:i,timeoutMs:s=1e4}=e,c=ae(i).slice();if(c.length>4096)throw new M(`joinSession: userData has ${c.length} bytes,\
 at most 4096 are sent`);if(p!==void 0&&Y(`${p}`).length>1024)throw new M("joinSession: the password is longer than 1024\
 bytes");return{projectId:ot("projectId",t),buildHash:ot("buildHash",n),sessionId:o===void 0||o===""?"":ot("sessionId",o),
playerName:Dt(r),password:p===void 0?void 0:`${p}`,joinCode:vt(`${d}`),asSpectator:!!a,userData:c,timeoutMs:ie.isFinite(
s)?ee(J(s,1e3),6e4):1e4}}var Lr=O.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),Nr=O.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function Bo(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:No(
qn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:Lr,NetRole:Nr,DataStream:he}}var ge=globalThis,Ho=Symbol.for("conch.session");function Br(){let e=ge[Ho];return delete ge[Ho],e||{driver:An(ge.WebSocket),
log:En({debug:!1},Ot),origin:"",allowedHosts:[]}}if(ge.document&&!(ge.conch&&ge.conch.NetSessionManager)){let e=Bo(ge,Br()),
{NetSessionManager:t}=e,n=O.freeze({version:"1.0",...ge.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
me(ge,o,{value:r,writable:!0,configurable:!0})}})();
