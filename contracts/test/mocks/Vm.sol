// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address sender) external;
    function deal(address account, uint256 wei_) external;
    function etch(address account, bytes calldata code) external;
    function assume(bool condition) external pure;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata data) external;
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function addr(uint256 key) external pure returns (address);
    function warp(uint256 timestamp) external;
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);
    function assertTrue(bool condition, string calldata why) external pure;
    function assertEq(uint256 a, uint256 b, string calldata why) external pure;
    function assertEq(address a, address b, string calldata why) external pure;
    function assertEq(bytes32 a, bytes32 b, string calldata why) external pure;
    function assertEq(bytes calldata a, bytes calldata b, string calldata why) external pure;
    function assertLe(uint256 a, uint256 b, string calldata why) external pure;
}

Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
