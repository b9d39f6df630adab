// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPermit2} from "../../src/IPermit2.sol";
import {Permit2Bench} from "../mocks/Permit2Bench.sol";
import {vm} from "../mocks/Vm.sol";

/// @dev A payer signs payments to four deposits. A stranger calls every function with any part of the signed
/// data.
contract PullHandler is Permit2Bench {
    uint256 private constant BILLS = 4;
    string private constant WITNESS_TYPE =
        "Payment witness)Payment(address to)TokenPermissions(address token,uint256 amount)";

    address[BILLS] public deposits;
    bytes[BILLS] private signatures;
    /// @dev Signatures for the same payments with a later deadline.
    bytes[BILLS] private again;
    address private stranger = person("stranger");

    constructor() {
        setUp();
        for (uint256 i; i < BILLS; ++i) {
            deposits[i] = factory.depositAddress(split, bytes32(i + 1));
            Order memory order = orderTo(deposits[i]);
            signatures[i] = sign(order);
            order.deadline = DEADLINE + 100;
            again[i] = sign(order);
        }
        usdt.mint(payer, 9_000);
        usdt.mint(stranger, 9_000);
        vm.prank(stranger);
        usdt.approve(address(PERMIT2), type(uint256).max);
    }

    function pass(uint8 signature, uint8 to, uint16 amount, uint8 deadline, bool isAgain) external {
        address place = to % 5 == 4 ? stranger : deposits[to % 5];
        uint256 much = amount % 2 == 0 ? AMOUNT : amount;
        uint256 end = deadline % 2 == 0 ? DEADLINE : DEADLINE + 100;
        bytes memory signed = isAgain ? again[signature % BILLS] : signatures[signature % BILLS];
        vm.prank(stranger);
        try pulls.pullWithPermit2(place, address(usdt), much, end, payer, signed) {} catch {}
    }

    function passPermit(uint8 signature, uint8 to, uint16 amount) external {
        bytes memory signed = signatures[signature % BILLS];
        (bytes32 r, bytes32 s) = abi.decode(signed, (bytes32, bytes32));
        address place = to % 5 == 4 ? stranger : deposits[to % 5];
        vm.prank(stranger);
        try pulls.pullWithPermit(place, address(usdt), amount, DEADLINE, payer, uint8(signed[64]), r, s) {} catch {}
    }

    function goPast(uint8 signature, bool isWitnessed, uint16 amount) external {
        uint256 bill = signature % BILLS;
        uint256 nonce = pulls.permit2Nonce(deposits[bill], address(usdt), AMOUNT);
        IPermit2.PermitTransferFrom memory permit =
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(address(usdt), AMOUNT), nonce, DEADLINE);
        IPermit2.SignatureTransferDetails memory details =
            IPermit2.SignatureTransferDetails(stranger, within(amount, 1, AMOUNT));
        bytes32 witness = keccak256(abi.encode(keccak256("Payment(address to)"), deposits[bill]));
        vm.prank(stranger);
        if (isWitnessed) {
            try PERMIT2.permitWitnessTransferFrom(permit, details, payer, witness, WITNESS_TYPE, signatures[bill]) {}
                catch {}
        } else {
            try PERMIT2.permitTransferFrom(permit, details, payer, signatures[bill]) {} catch {}
        }
    }

    function cancel(uint8 signature) external {
        uint256 nonce = pulls.permit2Nonce(deposits[signature % BILLS], address(usdt), AMOUNT);
        vm.prank(stranger);
        PERMIT2.invalidateUnorderedNonces(nonce >> 8, type(uint256).max);
    }

    function payEach() external {
        for (uint256 i; i < BILLS; ++i) {
            if (usdt.balanceOf(deposits[i]) > 0) continue;
            pulls.pullWithPermit2(deposits[i], address(usdt), AMOUNT, DEADLINE, payer, signatures[i]);
        }
    }

    function held() external view returns (uint256 byPayer, uint256 byStranger, uint256[4] memory atDeposits) {
        for (uint256 i; i < BILLS; ++i) {
            atDeposits[i] = usdt.balanceOf(deposits[i]);
        }
        return (usdt.balanceOf(payer), usdt.balanceOf(stranger), atDeposits);
    }

    function isEmpty() external view returns (bool) {
        return usdt.balanceOf(address(pulls)) == 0 && usdt.balanceOf(address(PERMIT2)) == 0;
    }

    function price() external pure returns (uint256) {
        return AMOUNT;
    }
}

contract PullFactoryInvariant {
    PullHandler private handler = new PullHandler();

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), new bytes4[](4));
        targets[0].selectors[0] = PullHandler.pass.selector;
        targets[0].selectors[1] = PullHandler.passPermit.selector;
        targets[0].selectors[2] = PullHandler.goPast.selector;
        targets[0].selectors[3] = PullHandler.cancel.selector;
    }

    function invariant_eachSignatureHasPaidItsDepositOnceOrNothing() external view {
        (uint256 byPayer, uint256 byStranger, uint256[4] memory atDeposits) = handler.held();
        uint256 paid;
        for (uint256 i; i < 4; ++i) {
            vm.assertTrue(atDeposits[i] == 0 || atDeposits[i] == handler.price(), "once or nothing");
            paid += atDeposits[i];
        }
        vm.assertEq(byPayer, 10_000 - paid, "the payer paid nothing else");
        vm.assertEq(byStranger, 9_000, "the stranger got nothing");
        vm.assertTrue(handler.isEmpty(), "and nothing stays on the way");
    }

    function afterInvariant() external {
        handler.payEach();
        (, , uint256[4] memory atDeposits) = handler.held();
        for (uint256 i; i < 4; ++i) {
            vm.assertEq(atDeposits[i], handler.price(), "paid in the end");
        }
    }
}
